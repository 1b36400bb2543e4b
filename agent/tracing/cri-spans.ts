/** Spans of the calls of the runtime, as upstream's kubelet has them (otelgrpc's client handler); the runtime is told whose they are. */
import { AppError } from '../../base/errors.ts';
import type { CallObserver } from '../../wire/grpc/method.ts';
import { saidBy } from '../../wire/grpc/status.ts';
import type { Tracer } from './tracer.ts';

const SCOPE = 'go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc';

/** @param address of the runtime's socket, as the agent was told of it */
export function criSpans(tracer: Tracer, address: string): (method: string) => CallObserver {
	const server = address.replace(/^unix:(?:\/\/)?/, '');
	return (method) => {
		const name = method.slice(1);
		const span = tracer.open({
			...{ scope: SCOPE, name, kind: 'client' },
			attributes: { 'rpc.method': name, 'rpc.system.name': 'grpc', 'server.address': server },
		});
		const seen = { SENT: 0, RECEIVED: 0 };
		return {
			headers: ['traceparent', span.traceparent],
			message(type, bytes) {
				const sizes = { 'rpc.message.compressed_size': bytes, 'rpc.message.uncompressed_size': bytes };
				span.event('message', { 'rpc.message.type': type, 'rpc.message.id': ++seen[type], ...sizes });
			},
			ended(failure) {
				const code = failure === undefined ? 'OK' : failure instanceof AppError ? failure.code : 'Canceled';
				span.set({ 'rpc.response.status_code': code });
				if (failure !== undefined) span.fail({ message: saidBy(failure) });
				span.end();
			},
		};
	};
}
