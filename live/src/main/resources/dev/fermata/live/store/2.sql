-- Where the jobs run: a leader at another location would not find them, and start each a second time.
ALTER TABLE meta ADD COLUMN home TEXT NOT NULL DEFAULT '';
ALTER TABLE meta ADD COLUMN home_place TEXT NOT NULL DEFAULT '';
