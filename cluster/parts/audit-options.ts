/** What the API server's flags say of the audit log: upstream's defaults and validation. */
import { AppError } from '../../base/errors.ts';
import type { BatchOptions } from '../../controlplane/apiserver/audit/batches.ts';
import type { AuditOptions } from '../../controlplane/apiserver/audit/create-auditor.ts';
import { AUDIT_FORMATS } from '../../controlplane/apiserver/audit/legacy-format.ts';
import { parsePolicy } from '../../controlplane/apiserver/audit/policy.ts';
import { remoteTarget } from '../../controlplane/apiserver/webhook/remote.ts';
import type { Flags } from './flags.ts';

type AuditPlugin = 'log' | 'webhook';

/** Upstream's default batches; a file is written event by event. */
function batchOf(flags: Flags, plugin: AuditPlugin): BatchOptions {
	const isHook = plugin === 'webhook';
	const positive = (name: string, unless: number): number => {
		const value = flags.number(`audit-${plugin}-batch-${name}`, unless);
		if (value === 0) throw new AppError('InvalidArgument', `--audit-${plugin}-batch-${name} must be a positive number`);
		return value;
	};
	return {
		bufferSize: positive('buffer-size', 10_000),
		maxSize: positive('max-size', isHook ? 400 : 1),
		maxWaitMs: flags.ms(`audit-${plugin}-batch-max-wait`, isHook ? 30_000 : 0),
		throttle: flags.bool(`audit-${plugin}-batch-throttle-enable`, isHook)
			? { qps: positive('throttle-qps', 10), burst: positive('throttle-burst', 15) }
			: undefined,
	};
}

function truncationOf(flags: Flags, plugin: AuditPlugin): { readonly maxEventBytes?: number } {
	const maxEventBytes = flags.number(`audit-${plugin}-truncate-max-event-size`, 102_400);
	const batchBytes = flags.number(`audit-${plugin}-truncate-max-batch-size`, 10 * 1024 * 1024);
	// Upstream's validation, in its words.
	if (maxEventBytes <= 0)
		throw new AppError('InvalidArgument', `invalid audit truncate ${plugin} max event size ${maxEventBytes}, must be a positive number`);
	if (batchBytes < maxEventBytes)
		throw new AppError(
			'InvalidArgument',
			`invalid audit truncate ${plugin} max batch size ${batchBytes}, must be greater than max event size (${maxEventBytes})`,
		);
	return flags.bool(`audit-${plugin}-truncate-enabled`, false) ? { maxEventBytes } : {};
}

/** Undefined: nothing is written down. */
export async function auditOf(flags: Flags): Promise<AuditOptions | undefined> {
	const file = flags.text('audit-policy-file', '');
	const path = flags.text('audit-log-path', '');
	const hook = flags.text('audit-webhook-config-file', '');
	if (file === '' || (path === '' && hook === '')) return undefined;
	return {
		policy: parsePolicy(await flags.read('audit-policy-file', ''), file),
		...(path === ''
			? {}
			: {
					log: {
						path,
						maxAgeDays: flags.number('audit-log-maxage', 366),
						maxBackups: flags.number('audit-log-maxbackup', 100),
						maxMegabytes: flags.number('audit-log-maxsize', 100),
						compress: flags.bool('audit-log-compress', false),
						format: flags.oneOf('audit-log-format', AUDIT_FORMATS),
						mode: flags.oneOf('audit-log-mode', ['blocking', 'batch', 'blocking-strict']),
						batch: { ...batchOf(flags, 'log'), oneByOne: true },
						...truncationOf(flags, 'log'),
					},
				}),
		...(hook === ''
			? {}
			: {
					webhook: {
						target: await remoteTarget(hook),
						mode: flags.oneOf('audit-webhook-mode', ['batch', 'blocking', 'blocking-strict']),
						batch: batchOf(flags, 'webhook'),
						initialBackoffMs: flags.ms('audit-webhook-initial-backoff', 10_000),
						...truncationOf(flags, 'webhook'),
					},
				}),
	};
}
