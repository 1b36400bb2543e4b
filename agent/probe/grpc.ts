/** The gRPC health check (grpc.health.v1), whose two messages are small enough to be written here. */
import type { Clock } from '../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { saidBy } from '../../wire/grpc/status.ts';
import { hostOf } from './target.ts';

const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

const HEALTH = {
	check: {
		path: '/grpc.health.v1.Health/Check',
		requestStream: false,
		responseStream: false,
		/** HealthCheckRequest { string service = 1 } */
		requestSerialize(service: string): Buffer {
			const text = Buffer.from(service);
			if (text.length === 0) return text;
			const length = text.length < 0x80 ? [text.length] : [(text.length & 0x7f) | 0x80, text.length >> 7];
			return Buffer.concat([Buffer.from([0x0a, ...length]), text]);
		},
		requestDeserialize: (bytes: Buffer): string => bytes.subarray(2).toString('utf8'),
		responseSerialize: (status: number): Buffer => Buffer.from([0x08, status]),
		/** HealthCheckResponse { ServingStatus status = 1 } */
		responseDeserialize: (bytes: Buffer): number => (bytes[0] === 0x08 ? (bytes[1] ?? 0) : 0),
	},
} as const;

/** Upstream's words for no answer in time. */
export function lateAnswer(timeoutMs: number): string {
	return `timeout: health rpc did not complete within ${timeoutMs / 1000}s`;
}

/** AppError has upstream's words of why there is no answer. */
export async function grpcHealth(
	host: string,
	port: number,
	service: string,
	timeoutMs: number,
	clock: Clock,
	signal: AbortSignal,
): Promise<string> {
	const address = hostOf({ host, port });
	const client = await grpcClient(HEALTH, { address, clock, goErrors: true });
	try {
		return STATUSES[await client.check(service, { signal, timeoutMs })] ?? 'UNKNOWN';
	} catch (error) {
		throw new AppError(codeOf(error), failureOf(error, address, timeoutMs), { cause: error });
	} finally {
		client.close();
	}
}

function failureOf(error: unknown, address: string, timeoutMs: number): string {
	switch (codeOf(error)) {
		case 'DeadlineExceeded':
			return lateAnswer(timeoutMs);
		case 'Unimplemented':
			return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${saidBy(error)}`;
		case 'Unavailable':
			return `error: failed to connect service at "${address}": ${saidBy(error)}`;
		default:
			return `error: health rpc probe failed: ${messageOf(error)}`;
	}
}
