"""Training in a child process: the job, the process, and what is reported back."""
