-- So many commits can be told to a server that knows an earlier one, when each has written so many rows at most: all in all a part of what
-- the rows themselves take. A commit of version n stands in place n % TRAIL of the trail, with the one that it follows: where an entry is
-- missing, or left from an earlier round, the chain breaks.
local TRAIL, MOST_ROWS_OF_ONE = 256, 128
-- Servers that look later read all rows.
local TRAIL_SECONDS = 3600
-- Its time is renewed each time in so many commits, from the first entry on.
local TRAIL_RENEWAL = 16
-- Beyond them all rows are as quickly read, page by page.
local MOST_ROWS_SINCE = 4000
