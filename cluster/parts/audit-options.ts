/** What the API server's flags say of the audit log: upstream's defaults and validation. */
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, messageOf } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { BatchOptions } from '../../controlplane/apiserver/audit/batches.ts';
import type { AuditOptions } from '../../controlplane/apiserver/audit/create-auditor.ts';
import { AUDIT_FORMATS } from '../../controlplane/apiserver/audit/legacy-format.ts';
import { AUDIT_MODES, type AuditMode } from '../../controlplane/apiserver/audit/modes.ts';
import { parsePolicy } from '../../controlplane/apiserver/audit/policy.ts';
import type { Flags } from './flags.ts';

type AuditPlugin = 'log' | 'webhook';

const VERSION = 'audit.k8s.io/v1';

/** Upstream's default batches; a file is written event by event. Only what the mode uses has to be good (upstream's words). */
function batchOf(flags: Flags, plugin: AuditPlugin, mode: AuditMode): BatchOptions {
	const isHook = plugin === 'webhook';
	const isThrottled = flags.bool(`audit-${plugin}-batch-throttle-enable`, isHook);
	const positive = (name: string, unless: number, what: string, isUsed = true): number => {
		const given = `audit-${plugin}-batch-${name}`;
		const value = name === 'throttle-qps' ? flags.fraction(given, unless) : flags.number(given, unless);
		if (value === 0 && mode === 'batch' && isUsed)
			throw new AppError('InvalidArgument', `invalid audit batch ${plugin} ${what} ${value}, must be a positive number`);
		return value;
	};
	const bufferSize = positive('buffer-size', 10_000, 'buffer size');
	const maxSize = positive('max-size', isHook ? 400 : 1, 'max batch size');
	const throttle = {
		qps: positive('throttle-qps', 10, 'throttle QPS', isThrottled),
		burst: positive('throttle-burst', 15, 'throttle burst', isThrottled),
	};
	const maxWaitMs = flags.ms(`audit-${plugin}-batch-max-wait`, isHook ? 30_000 : 0);
	return { bufferSize, maxSize, maxWaitMs, throttle: isThrottled ? throttle : undefined };
}

function modeOf(flags: Flags, plugin: AuditPlugin): AuditMode {
	const mode = flags.text(`audit-${plugin}-mode`, plugin === 'webhook' ? 'batch' : 'blocking');
	const found = AUDIT_MODES.find((one) => one === mode);
	if (found !== undefined) return found;
	throw new AppError('InvalidArgument', `invalid audit ${plugin} mode ${mode}, allowed modes are ${JSON.stringify(AUDIT_MODES.join(','))}`);
}

function checkVersion(flags: Flags, plugin: AuditPlugin): void {
	const name = `audit-${plugin}-version`;
	const version = flags.text(name, VERSION);
	if (version !== VERSION)
		throw new AppError(
			'InvalidArgument',
			`--${name} ${JSON.stringify(version)}: invalid group version, allowed versions are ["${VERSION}"]`,
		);
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

function logOf(flags: Flags, path: string): NonNullable<AuditOptions['log']> {
	const mode = modeOf(flags, 'log');
	const batch = { ...batchOf(flags, 'log', mode), oneByOne: true };
	const truncation = truncationOf(flags, 'log');
	checkVersion(flags, 'log');
	return {
		path,
		maxAgeDays: flags.number('audit-log-maxage', 366),
		maxBackups: flags.number('audit-log-maxbackup', 100),
		maxMegabytes: flags.number('audit-log-maxsize', 100),
		compress: flags.bool('audit-log-compress', false),
		format: flags.oneOf('audit-log-format', AUDIT_FORMATS),
		...{ mode, batch, ...truncation },
	};
}

async function webhookOf(flags: Flags): Promise<AuditOptions['webhook']> {
	const mode = modeOf(flags, 'webhook');
	const batch = batchOf(flags, 'webhook', mode);
	const truncation = truncationOf(flags, 'webhook');
	checkVersion(flags, 'webhook');
	const former = flags.ms('audit-webhook-batch-initial-backoff', 10_000);
	const initialBackoffMs = flags.ms('audit-webhook-initial-backoff', former);
	const target = await flags.target('audit-webhook-config-file');
	return target === undefined ? undefined : { target, initialBackoffMs, mode, batch, ...truncation };
}

/** Undefined: nothing is written down, since no policy says what. Where events are to go must be right all the same. */
export async function auditOf(flags: Flags): Promise<AuditOptions | undefined> {
	const file = flags.text('audit-policy-file', '');
	const path = flags.text('audit-log-path', '');
	const hook = flags.text('audit-webhook-config-file', '');
	const log = path === '' ? undefined : logOf(flags, path);
	const webhook = hook === '' ? undefined : await webhookOf(flags);
	const policy = file === '' ? undefined : parsePolicy(await flags.read('audit-policy-file', ''), file);
	if (log !== undefined) await checkWritable(path);
	return policy === undefined || (log === undefined && webhook === undefined) ? undefined : { policy, log, webhook };
}

/** The file is there before anything is served: a server that cannot write its log does not start. */
async function checkWritable(path: string): Promise<void> {
	if (path === '-') return;
	try {
		await makeFolder(dirname(path), 0o700);
		await (await open(path, 'a', 0o600)).close();
	} catch (cause) {
		throw new AppError('FailedPrecondition', `--audit-log-path "${path}" cannot be written: ${messageOf(cause)}`, { cause });
	}
}
