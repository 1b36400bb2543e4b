/** The configuration of ImagePolicyWebhook, which has no kind: {imagePolicy: {kubeConfigFile, allowTTL, denyTTL, retryBackoff, defaultAllow}}. */
import { formatDuration } from '../../../../api/time.ts';
import { AppError } from '../../../../base/errors.ts';
import { REMOTE_RETRIES, remoteTarget } from '../../webhook/remote.ts';
import type { ImagePolicyOptions } from '../pods/image-policy.ts';
import { Shape } from '../../../../base/shape.ts';

const NS = { ns: 1n, ms: 1_000_000n, s: 1_000_000_000n } as const;

/** In nanoseconds, but for the scale of what is given (plugin/pkg/admission/imagepolicy/config.go). */
const TTL = { scale: NS.s, least: NS.s, most: 1800n * NS.s } as const;
const BACKOFF = { scale: NS.ms, least: NS.ns, most: 300n * NS.s } as const;

export async function imagePolicyOptions(value: unknown): Promise<ImagePolicyOptions> {
	if (value === undefined) throw new AppError('InvalidArgument', 'no config specified');
	const given = new Shape(value, '').map('imagePolicy');
	const initialMs = milliseconds(given.number('retryBackoff'), BACKOFF, 500n * NS.ms);
	const allowMs = milliseconds(given.number('allowTTL'), TTL, 300n * NS.s);
	const denyMs = milliseconds(given.number('denyTTL'), TTL, 30n * NS.s);
	return {
		target: await remoteTarget(given.text('kubeConfigFile')),
		allowMs,
		denyMs,
		retries: { ...REMOTE_RETRIES, initialMs },
		defaultAllow: given.bool('defaultAllow'),
	};
}

/** 0 is the default, -1 nothing. */
function milliseconds(given: number, { scale, least, most }: typeof TTL | typeof BACKOFF, unless: bigint): number {
	if (given === -1) return 0;
	const ns = given === 0 ? unless : BigInt(given) * scale;
	if (ns >= least && ns <= most) return Number(ns) / 1e6;
	const [from, to, got] = [least, most, ns].map(formatDuration);
	throw new AppError('InvalidArgument', `valid value is between ${from} and ${to}, got ${got}`);
}
