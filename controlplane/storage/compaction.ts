/** Compaction in short turns: what minutes of load left behind is not forgotten at one go. */
import type { ChangeRing } from './change-ring.ts';
import type { Versions } from './versions.ts';

/** Changes forgotten in one turn of the loop: about a millisecond. */
const CHANGES_A_TURN = 1000;

/** Forgets what only reads before this revision could see; other turns of the loop come between. */
export async function compactGradually(
	history: () => { readonly versions: Versions; readonly ring: ChangeRing },
	before: bigint,
): Promise<void> {
	for (;;) {
		const { versions, ring } = history();
		const next = ring.revisionAt(CHANGES_A_TURN);
		const last = next === undefined || next >= before;
		versions.compact(last ? before : next);
		ring.compact(versions.compacted);
		if (last) return;
		await new Promise<void>((resolve) => setImmediate(resolve));
	}
}
