-- Included first in each script that writes. When the memory is full, Redis only checks the first write of a script and refuses it if it may
-- need memory. This deletion needs none, so the writes after it pass: running jobs can end, which frees memory. The store refuses new
-- jobs before that (`full`).
redis.call('DEL', KEYS[1] .. 'none')
