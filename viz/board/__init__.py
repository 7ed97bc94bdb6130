"""The board: all attention heads of one translation on canvases, drawn in the page."""
