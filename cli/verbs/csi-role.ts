/** `kubeling csi provisioner` and its like: sidecar roles until they are told to stop. */
import { realClock } from '../../base/clock.ts';
import { createLog, type LogLevel } from '../../base/log.ts';
import { runCsiRoles, type RoleFlags, type RoleName } from '../../cluster/csi-roles.ts';

export async function csiRole(roles: readonly RoleName[], flags: RoleFlags): Promise<void> {
	const log = createLog({ level: flags['logLevel'] as LogLevel });
	const stop = new AbortController();
	const onStop = (): void => stop.abort();
	process.once('SIGINT', onStop).once('SIGTERM', onStop);
	const onReady = (): void => log.info('ready', { roles: roles.join(',') });
	await runCsiRoles({ roles, flags, clock: realClock, log, onReady }, stop.signal);
}
