/** Opens the log's stream of a container that was just made, while nobody waits for it: its start does, and tries again what failed here. */
import { messageOf } from '../../base/errors.ts';
import type { Context } from '../context.ts';
import type { ContainerRecord } from '../state/records.ts';
import { logSource } from './source.ts';

/** The answer leaves the process some turns after it was given: what begins before takes its time from whoever waits for it. */
const ANSWERED_MS = 2;

/** Once the answer is out. */
export function followSoon(context: Concerned & Pick<Context, 'clock'>, record: ContainerRecord): void {
	context.clock.after(ANSWERED_MS, () => void followNew(context, record));
}

type Concerned = Pick<Context, 'state' | 'log'> & { readonly logs: Pick<Context['logs'], 'attached'> };

async function followNew({ state, logs, log }: Concerned, record: ContainerRecord): Promise<void> {
	if (state.peekContainer(record.id) === undefined) return; // removed meanwhile, and its log given up
	try {
		await logs.attached(logSource(state, record));
	} catch (error) {
		log.warn('cannot follow a new container yet', { container: record.name, error: messageOf(error) });
	}
}
