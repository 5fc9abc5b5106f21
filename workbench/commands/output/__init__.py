"""What commands share: their options, the files and streams that they read and write, and how they give an answer."""
