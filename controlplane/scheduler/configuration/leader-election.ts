/** leaderElection of a KubeSchedulerConfiguration, completed and checked as upstream does (component-base). Pure. */
import { invalidValue } from '../../../api/field-error.ts';
import type { Key } from '../../../api/resource.ts';
import { formatDuration } from '../../../api/time.ts';
import type { Errors } from '../../../api/validation/rule.ts';
import { AppError } from '../../../base/errors.ts';
import type { Shape } from '../../../base/shape.ts';
import { LEADER_TIMING, RETRY_JITTER, type LeaderTiming } from '../../../client/leader.ts';
import { durationOf } from './durations.ts';

export interface LeaderElectionSettings {
	readonly lease: Key;
	readonly timing: LeaderTiming;
}

/** Undefined where no leader is elected: without a word about it, one scheduler is all there is. */
export function leaderElectionOf(shape: Shape, out: Errors): LeaderElectionSettings | undefined {
	shape.only(...['leaderElect', 'leaseDuration', 'renewDeadline', 'retryPeriod'], ...['resourceLock', 'resourceName', 'resourceNamespace']);
	const of = (field: string, unlessMs: number): number => durationOf(shape, field, 0) || unlessMs;
	const timing = {
		leaseMs: of('leaseDuration', LEADER_TIMING.leaseMs),
		renewDeadlineMs: of('renewDeadline', LEADER_TIMING.renewDeadlineMs),
		retryMs: of('retryPeriod', LEADER_TIMING.retryMs),
	};
	const text = (field: string, unless: string): string => shape.text(field) || unless;
	const lock = text('resourceLock', 'leases');
	const lease = `${text('resourceNamespace', 'kube-system')}/${text('resourceName', 'kube-scheduler')}`;
	if (!shape.bool('leaderElect')) return undefined;
	const positive = [
		['leaseDuration', timing.leaseMs],
		['renewDeadline', timing.renewDeadlineMs],
		['retryPeriod', timing.retryMs],
	] as const;
	for (const [field, ms] of positive)
		if (ms <= 0) out.push(invalidValue(`leaderElection.${field}`, textOf(ms), 'must be greater than zero'));
	if (timing.leaseMs <= timing.renewDeadlineMs)
		out.push(invalidValue('leaderElection.leaseDuration', textOf(timing.renewDeadlineMs), 'must be greater than `RenewDeadline`'));
	else if (timing.renewDeadlineMs <= timing.retryMs * RETRY_JITTER)
		throw new AppError('InvalidArgument', "couldn't create leader elector: renewDeadline must be greater than retryPeriod*JitterFactor");
	if (lock !== 'leases') out.push(invalidValue('leaderElection.resourceLock', lock, 'resourceLock value must be "leases"'));
	return { lease, timing };
}

function textOf(ms: number): string {
	return formatDuration(BigInt(Math.round(ms * 1e6)));
}
