/** Spans of what the agent does, for a collector of OpenTelemetry (KubeletTracing): some of them, told in the background. Each is a trace of its own, as upstream's. */
import type { Pod } from '../../api/gen/types.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';

export interface SpanStart {
	readonly scope: string;
	readonly name: string;
	readonly attributes?: Readonly<Record<string, string>>;
}

export interface EndedSpan extends SpanStart {
	readonly traceId: Uint8Array;
	readonly spanId: Uint8Array;
	readonly startMs: number;
	readonly endMs: number;
	/** What `work` threw, if it did. */
	readonly error?: { readonly type: string; readonly message: string };
}

export interface Tracer {
	/** Runs the work and hands on what it gave or threw. */
	within<T>(span: SpanStart, work: () => Promise<T>): Promise<T>;
}

/** Upstream's scopes. */
export const KUBELET = 'k8s.io/kubernetes/pkg/kubelet';
export const IMAGES = `${KUBELET}/images`;
export const CONTAINERS = `${KUBELET}/kuberuntime`;

export function inSpan<T>(tracer: Tracer | undefined, span: SpanStart, work: () => Promise<T>): Promise<T> {
	return tracer === undefined ? work() : tracer.within(span, work);
}

/** A round of a pod's worker, with upstream's attributes. */
export function podSpan(name: string, { metadata }: Pod, updateType?: string): SpanStart {
	return {
		...{ scope: KUBELET, name },
		attributes: {
			'k8s.pod.uid': metadata.uid ?? '',
			'k8s.pod': `${metadata.namespace}/${metadata.name}`,
			'k8s.pod.name': metadata.name ?? '',
			...(updateType === undefined ? {} : { 'k8s.pod.update_type': updateType }),
			'k8s.namespace.name': metadata.namespace ?? '',
		},
	};
}

/** Pure: whether a trace is among those that are told, as OpenTelemetry's TraceIdRatioBased decides, so that others decide alike. */
export function isSampled(traceId: Uint8Array, perMillion: number): boolean {
	if (perMillion >= 1_000_000) return true;
	const lower = Buffer.from(traceId).readBigUInt64BE(8) >> 1n;
	return lower < (BigInt(Math.max(0, perMillion)) * (1n << 63n)) / 1_000_000n;
}

/** @param ended told of each span that is sampled, once it is over */
export function createTracer(perMillion: number, clock: Clock, ended: (span: EndedSpan) => void): Tracer {
	return {
		async within(span, work) {
			const traceId = randomBytes(clock, 16);
			if (!isSampled(traceId, perMillion)) return work();
			const [spanId, startMs, from] = [randomBytes(clock, 8), clock.now(), clock.monotonic()];
			const end = (failed: Pick<EndedSpan, 'error'>): void =>
				ended({ ...span, traceId, spanId, startMs, endMs: startMs + clock.monotonic() - from, ...failed });
			try {
				const result = await work();
				end({});
				return result;
			} catch (error) {
				end({ error: { type: error instanceof Error ? error.name : typeof error, message: messageOf(error) } });
				throw error;
			}
		},
	};
}

function randomBytes(clock: Clock, length: number): Uint8Array {
	return Uint8Array.from({ length }, () => Math.floor(clock.random() * 256));
}
