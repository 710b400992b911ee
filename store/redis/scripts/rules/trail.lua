-- A server that knows an earlier version can read only the changes of up to TRAIL commits with up to MOST_ROWS_OF_ONE rows each. The commit
-- of version n has the field n % TRAIL and names the commit before it. If a field is missing or old, the chain breaks and all rows are read.
local TRAIL, MOST_ROWS_OF_ONE = 256, 128
-- After this time, servers read all rows.
local TRAIL_SECONDS = 3600
-- The expiry is renewed once in this many commits.
local TRAIL_RENEWAL = 16
-- With more rows, reading all rows page by page is as fast.
local MOST_ROWS_SINCE = 4000
