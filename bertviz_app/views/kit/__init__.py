"""The drawing kit: base widgets, colours, text, export of pictures. Nothing in it knows about BERT."""
