/** Where a container's log comes from and goes to, by what is recorded of it. */
import { dirname } from 'node:path';
import type { ContainerRecord } from '../state/records.ts';
import type { RuntimeState } from '../state/state.ts';
import type { LogSource } from './pump.ts';

export function logSource(state: RuntimeState, { id, sandboxId, logPath, config }: ContainerRecord): LogSource {
	const folder = state.peekSandbox(sandboxId)?.record.config.logDirectory ?? dirname(logPath);
	return { id, path: logPath, root: folder.replace(/\/+$/, ''), tty: config.tty };
}
