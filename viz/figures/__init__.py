"""One module a subject: arrays or an AttentionMap in, a Figure out. No torch and no gradio here."""
