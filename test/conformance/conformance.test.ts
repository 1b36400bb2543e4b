/** Every behaviour, in one process on one cluster: `names.txt` says which of upstream's tests they stand for. */
import './behaviours/chunking.ts';
import './behaviours/discovery.ts';
import './behaviours/watch.ts';
