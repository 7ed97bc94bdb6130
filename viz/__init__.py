"""The pictures: figures (data in, Figure out), the board (a canvas in the page), and the tabs that show both."""
