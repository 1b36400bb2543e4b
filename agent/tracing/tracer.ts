/** Spans of what the agent does, for a collector of OpenTelemetry (KubeletTracing): some of them, told in the background. A round of a pod or a collection is a trace of its own, as upstream's. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pod } from '../../api/gen/types.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { OpenSpan, type EndedSpan, type SpanContext, type SpanStart } from './span.ts';

export interface Tracer {
	/** Runs the work and hands on what it gave or threw. What is opened meanwhile is the span's child. */
	within<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T>;
	/** A child of the span within which this is called, or a trace of its own; over when it is ended. */
	open(start: SpanStart): OpenSpan;
}

/** Upstream's scopes. */
export const KUBELET = 'k8s.io/kubernetes/pkg/kubelet';
export const IMAGES = `${KUBELET}/images`;
export const CONTAINERS = `${KUBELET}/kuberuntime`;

/** `work` is told of its span where spans are told. */
export function inSpan<T>(tracer: Tracer | undefined, start: SpanStart, work: (span?: OpenSpan) => Promise<T>): Promise<T> {
	return tracer === undefined ? work() : tracer.within(start, work);
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

/** @param ended told of each span that is sampled, once it is over; children are as their parent is (OpenTelemetry's ParentBased) */
export function createTracer(perMillion: number, clock: Clock, ended: (span: EndedSpan) => void): Tracer {
	const current = new AsyncLocalStorage<SpanContext>();
	const open = (start: SpanStart): OpenSpan => {
		const parent = current.getStore();
		const traceId = parent?.traceId ?? randomBytes(clock, 16);
		const sampled = parent?.sampled ?? isSampled(traceId, perMillion);
		const context = { traceId, spanId: randomBytes(clock, 8), sampled };
		return new OpenSpan({ start, context, parentSpanId: parent?.spanId, clock, ended });
	};
	return {
		open,
		within(start, work) {
			const span = open(start);
			return current.run(span.context, async () => {
				try {
					return await work(span);
				} catch (error) {
					span.fail({ type: error instanceof Error ? error.name : typeof error, message: messageOf(error) });
					throw error;
				} finally {
					span.end();
				}
			});
		},
	};
}

function randomBytes(clock: Clock, length: number): Uint8Array {
	return Uint8Array.from({ length }, () => Math.floor(clock.random() * 256));
}
