/** Where a container's log comes from and goes to, by what is recorded of it. */
import { dirname } from 'node:path';
import { ignore } from '../../base/errors.ts';
import type { ContainerRecord } from '../state/records.ts';
import type { Live } from '../state/live.ts';
import type { RuntimeState } from '../state/state.ts';
import type { LogSource, Progress } from './pump.ts';

export function logSource(state: RuntimeState, { id, sandboxId, logPath, config }: ContainerRecord): LogSource {
	const folder = state.peekSandbox(sandboxId)?.record.config.logDirectory ?? dirname(logPath);
	const look = async (): Promise<Progress> => {
		state.touch(id);
		const { live } = (await state.container(id).catch(ignore('NotFound'))) ?? GONE;
		return live.state === 'created' || live.state === 'running' ? live.state : 'over';
	};
	return { id, path: logPath, root: folder.replace(/\/+$/, ''), tty: config.tty, look };
}

const GONE: { readonly live: Live } = { live: { state: 'unknown' } };
