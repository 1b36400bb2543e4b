/** The gRPC health check (grpc.health.v1), whose two messages are small enough to be written here. */
import type { Clock } from '../../base/clock.ts';
import { AppError, codeOf, messageOf } from '../../base/errors.ts';
import { grpcClient } from '../../wire/grpc/client.ts';
import { saidBy } from '../../wire/grpc/status.ts';
import { goDuration } from '../image/duration.ts';
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

/** AppError has upstream's words of why there is no answer. As upstream it tries to connect until the time is up: a server may be about to listen. */
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
	let connected = false;
	try {
		await client.connected(signal);
		connected = true;
		return STATUSES[await client.check(service, { signal, timeoutMs })] ?? 'UNKNOWN';
	} catch (error) {
		const late = signal.aborted || codeOf(error) === 'DeadlineExceeded';
		throw new AppError(codeOf(error), late ? lateAt(connected, address, timeoutMs) : failureOf(error), { cause: error });
	} finally {
		client.close();
	}
}

function lateAt(connected: boolean, address: string, timeoutMs: number): string {
	const within = `within ${goDuration(timeoutMs)}`;
	if (connected) return `timeout: health rpc did not complete ${within}`;
	return `timeout: failed to connect service "${address}" ${within}: context deadline exceeded`;
}

function failureOf(error: unknown): string {
	if (codeOf(error) !== 'Unimplemented') return `error: health rpc probe failed: ${messageOf(error)}`;
	return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${saidBy(error)}`;
}
