/** What a detached cluster tells the command that started it. */
import type { ClusterEvent } from '../cluster/events.ts';

/** In the detached process: hands an event to the parent; after the last one the channel closes. */
export async function tellParent(event: ClusterEvent): Promise<void> {
	if (process.send === undefined || !process.connected) return;
	await new Promise<void>((resolve) => process.send?.(event, () => resolve()));
	if (event.type === 'ready' || event.type === 'failed') process.disconnect();
}
