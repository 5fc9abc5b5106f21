"""What is stored, and what is written for others: nothing is lost, and nothing is believed that was not written."""
