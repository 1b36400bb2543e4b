/** The gRPC health check (grpc.health.v1), whose two messages are small enough to be written here. */
import type { Clock } from '../../base/clock.ts';
import { grpcClient } from '../../wire/grpc/client.ts';

const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;

const HEALTH = {
	check: {
		path: '/grpc.health.v1.Health/Check',
		requestStream: false,
		responseStream: false,
		/** HealthCheckRequest { string service = 1 } */
		requestSerialize(service: string): Buffer {
			const text = Buffer.from(service);
			return text.length === 0 ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, text.length]), text]);
		},
		requestDeserialize: (bytes: Buffer): string => bytes.subarray(2).toString('utf8'),
		responseSerialize: (status: number): Buffer => Buffer.from([0x08, status]),
		/** HealthCheckResponse { ServingStatus status = 1 } */
		responseDeserialize: (bytes: Buffer): number => (bytes[0] === 0x08 ? (bytes[1] ?? 0) : 0),
	},
} as const;

export async function grpcHealth(
	host: string,
	port: number,
	service: string,
	timeoutMs: number,
	clock: Clock,
	signal: AbortSignal,
): Promise<string> {
	const client = await grpcClient(HEALTH, { address: `${host.includes(':') ? `[${host}]` : host}:${port}`, clock });
	try {
		return STATUSES[await client.check(service, { signal, timeoutMs })] ?? 'UNKNOWN';
	} finally {
		client.close();
	}
}
