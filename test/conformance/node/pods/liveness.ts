/** [sig-node] Probing container: liveness by command, HTTP, TCP and gRPC, and what a failure does. */
import type { V1Probe } from '@kubernetes/client-node';
import { conformance, type World } from '../../suite.ts';
import { create, nameOf, pause, read, restarts, running, tells, until } from '../pod.ts';

/** Every second, from the first second on; the third failure in a row counts, so that a busy machine is none. */
const probe = (how: Partial<V1Probe>, more: Partial<V1Probe> = {}): V1Probe => ({ periodSeconds: 1, timeoutSeconds: 10, ...how, ...more });

/** Long enough for a probe that fails to fail often. */
const WHILE_MS = 8_000;

interface Probed {
	readonly script: string;
	readonly livenessProbe: V1Probe;
}

async function isRestarted(world: World, { script, livenessProbe }: Probed): Promise<void> {
	const name = nameOf(await create(world, { script, container: { livenessProbe }, spec: { restartPolicy: 'Always' } }));
	await until(world, name, 'was started again', (pod) => restarts(pod) > 0);
	await tells(world, name, /^Unhealthy: Liveness probe failed: /);
	await tells(world, name, /^Killing: Container c failed liveness probe, will be restarted$/);
	world.t.pass();
}

async function stays(world: World, { script, livenessProbe }: Probed): Promise<void> {
	const name = nameOf(await running(world, { script, container: { livenessProbe }, spec: { restartPolicy: 'Always' } }));
	await pause(WHILE_MS);
	const pod = await read(world, name);
	world.t.deepEqual([restarts(pod), pod.status?.phase], [0, 'Running']);
}

const CAT = { exec: { command: ['cat', '/tmp/health'] } };
/** A web server of one page, which a second script may take away. */
const web = (then = ''): string => `mkdir /www; echo ok > /www/healthz; ${then} exec httpd -f -p 8080 -h /www`;
const HTTP = { httpGet: { path: '/healthz', port: 8080 } };
const LATER = { initialDelaySeconds: 2 };

conformance(
	'[sig-node] Probing container should be restarted with a exec "cat /tmp/health" liveness probe [NodeConformance] [Conformance]',
	(world) =>
		isRestarted(world, {
			script: 'echo ok > /tmp/health; sleep 2; rm /tmp/health; sleep 600',
			livenessProbe: probe(CAT, { failureThreshold: 1 }),
		}),
);

conformance(
	'[sig-node] Probing container should *not* be restarted with a exec "cat /tmp/health" liveness probe [NodeConformance] [Conformance]',
	(world) => stays(world, { script: 'echo ok > /tmp/health; sleep 600', livenessProbe: probe(CAT, LATER) }),
);

conformance(
	'[sig-node] Probing container should be restarted with a /healthz http liveness probe [NodeConformance] [Conformance]',
	(world) => isRestarted(world, { script: web('(sleep 2; rm /www/healthz) &'), livenessProbe: probe(HTTP) }),
);

conformance(
	'[sig-node] Probing container should *not* be restarted with a /healthz http liveness probe [NodeConformance] [Conformance]',
	(world) => stays(world, { script: web(), livenessProbe: probe(HTTP, LATER) }),
);

conformance(
	'[sig-node] Probing container should *not* be restarted with a tcp:8080 liveness probe [NodeConformance] [Conformance]',
	(world) => stays(world, { script: web(), livenessProbe: probe({ tcpSocket: { port: 8080 } }, LATER) }),
);

/**
 * gRPC's health service by hand: reads HTTP/2 frames until the request is whole, then answers on stream 1 with the status told.
 * SETTINGS; its acknowledgement; HEADERS (:status 200, content-type application/grpc); DATA (a message of two bytes: field 1, the status); HEADERS (grpc-status 0).
 */
const health = (status: 'serving' | 'not serving'): string => `cat > /tmp/answer <<'END'
#!/bin/sh
dd bs=1 count=24 of=/dev/null 2>/dev/null
while :; do
	set -- $(dd bs=1 count=9 2>/dev/null | hexdump -v -e '1/1 "%u "')
	test $# -eq 9 || exit 0
	length=$(($1 * 65536 + $2 * 256 + $3))
	test $length -gt 0 && dd bs=1 count=$length of=/dev/null 2>/dev/null
	test $4 -eq 0 && test $(($5 & 1)) -eq 1 && break
done
printf '\\000\\000\\000\\004\\000\\000\\000\\000\\000'
printf '\\000\\000\\000\\004\\001\\000\\000\\000\\000'
printf '\\000\\000\\023\\001\\004\\000\\000\\000\\001\\210\\137\\020application/grpc'
printf '\\000\\000\\007\\000\\000\\000\\000\\000\\001\\000\\000\\000\\000\\002\\010\\00${status === 'serving' ? 1 : 2}'
printf '\\000\\000\\017\\001\\005\\000\\000\\000\\001\\000\\013grpc-status\\0010'
sleep 5
END
chmod +x /tmp/answer; exec nc -ll -p 5000 -e /tmp/answer`;

conformance('[sig-node] Probing container should *not* be restarted with a GRPC liveness probe [NodeConformance] [Conformance]', (world) =>
	stays(world, { script: health('serving'), livenessProbe: probe({ grpc: { port: 5000 } }, LATER) }),
);

conformance('[sig-node] Probing container should be restarted with a GRPC liveness probe [NodeConformance] [Conformance]', (world) =>
	isRestarted(world, { script: health('not serving'), livenessProbe: probe({ grpc: { port: 5000 } }, LATER) }),
);

conformance(
	'[sig-node] Probing container should have monotonically increasing restart count [NodeConformance] [Conformance]',
	async (world) => {
		const livenessProbe = probe({ exec: { command: ['false'] } }, { failureThreshold: 1 });
		const container = { livenessProbe };
		const name = nameOf(await create(world, { script: 'sleep 600', container, spec: { restartPolicy: 'Always' } }));
		// The third start waits for ten seconds of back-off, the fourth for twenty.
		let last = 0;
		await until(world, name, 'was started three times again', (pod) => {
			const count = restarts(pod);
			if (count < last) throw new Error(`${count} restarts after ${last}`);
			last = count;
			return count >= 3;
		});
		world.t.true(last >= 3);
	},
);
