/** How Node.js is started for processes that live long and should stay small. */

/**
 * A small nursery: the loop stands still while it is looked through, 2 to 3 ms even where all that is in it is needed (many watches that open); where little
 * is, as among requests, doing that more often costs no more. The old generation may grow by 70 % before it is looked through, instead of to twice as
 * much: an eighth less memory, and a few hundredths of the creates. The nursery is looked through without helpers: where others want the
 * processors, too, the thread that everything waits for would wait for them. And what places of the program make is not put into the old generation from
 * its birth on, though V8 once saw most of it live (informers that fill, requests that wait for a commit): there it holds all that it points to.
 * The API server collects its nursery between requests (base/quiet-collection.ts), which V8 has to be told it may.
 */
export const NODE_FLAGS: readonly string[] = [
	'--max-semi-space-size=4',
	'--heap-growing-percent=70',
	'--no-parallel-scavenge',
	'--no-allocation-site-pretenuring',
	'--expose-gc',
];

/**
 * For a whole cluster in one process. V8 begins with room for so little that a start is interrupted by a dozen collections, three of them of everything that lives, in
 * which its helper threads take as much of the processors as the start itself: it begins with the room that a cluster takes anyway.
 */
export const CLUSTER_FLAGS: readonly string[] = [...NODE_FLAGS, '--min-semi-space-size=4', '--initial-old-space-size=96'];

/** For the CRI shim alone, which has few calls at a time: a long list fills a large nursery, and what was once touched of it stays. */
export const SHIM_FLAGS: readonly string[] = ['--max-semi-space-size=1', '--heap-growing-percent=50', '--no-parallel-scavenge'];

/**
 * For glibc's allocator (mallopt(3)), which adapts to the largest buffer seen unless told: threads share two arenas instead of having one each with
 * holes of its own, and pages of values, but not the pieces of an answer, go back to the system when they are freed. Others ignore it.
 */
const MALLOC: NodeJS.ProcessEnv = {
	MALLOC_ARENA_MAX: '2',
	MALLOC_MMAP_THRESHOLD_: `${192 * 1024}`,
	MALLOC_TRIM_THRESHOLD_: `${4 * 1024 * 1024}`,
};

/** The environment for such a process; what is set already stays. */
export function smallProcess(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return { ...MALLOC, ...env };
}
