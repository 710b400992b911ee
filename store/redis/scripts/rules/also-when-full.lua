-- First in each script that changes something. While its memory is full Redis refuses the first write of a script, if that may take more,
-- and none of the later ones: one that takes nothing lets what is there come to its end, which is what frees memory. That no new jobs
-- come then is seen to before (`full` of the store).
redis.call('DEL', KEYS[1] .. 'none')
