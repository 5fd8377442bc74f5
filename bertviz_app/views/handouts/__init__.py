"""Hand-outs: pages for print, with blanks for the student and the answers."""
