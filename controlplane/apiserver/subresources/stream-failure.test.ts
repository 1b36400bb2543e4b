import test from 'ava';
import { WebSocket } from 'ws';
import { NODES, PODS, SERVICE_ACCOUNTS } from '../../../api/resources.ts';
import { realClock } from '../../../base/clock.ts';
import { noLog } from '../../../base/log.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { ownPort } from '../../../test/tools/ports.ts';

test('a command over WebSockets of the fifth version is told inside of its stream that no kubelet answers; an older one is not begun', async (t) => {
	const stop = new AbortController();
	const { client, url, token, ca, stopped } = await testApiServer({ clock: realClock, log: noLog, port: 0 }, stop.signal);
	const [host, port] = ['127.0.0.1', await ownPort('127.0.0.1')];
	await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default', namespace: 'default' } });
	await client.create(NODES, { metadata: { name: 'dead' } });
	const status = { addresses: [{ type: 'InternalIP', address: host }], daemonEndpoints: { kubeletEndpoint: { Port: port } } };
	await client.patch(NODES, 'dead', { type: 'merge', body: { status } }, { subresource: 'status' });
	const spec = { nodeName: 'dead', automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] };
	await client.create(PODS, { metadata: { name: 'p', namespace: 'default' }, spec });

	const told = (protocol: string): Promise<readonly [Buffer, number]> =>
		new Promise((resolve, reject) => {
			const path = '/api/v1/namespaces/default/pods/p/exec?command=ls&stdout=true';
			const socket = new WebSocket(url.replace('https', 'wss') + path, protocol, { ca, headers: { authorization: `Bearer ${token}` } });
			const pieces: Buffer[] = [];
			socket.on('message', (data: Buffer) => pieces.push(data));
			socket.on('error', reject);
			socket.on('close', (code) => resolve([Buffer.concat(pieces), code]));
		});
	const [bytes, code] = await told('v5.channel.k8s.io');
	const refused = `dial tcp ${host}:${port}: connect: connection refused`;
	const message = `error sending request: Post "https://${host}:${port}/exec/default/p/c?command=ls&output=1": ${refused}`;
	t.deepEqual([bytes[0], code], [3, 1000]);
	t.deepEqual(JSON.parse(bytes.subarray(1).toString()), {
		...{ metadata: {}, status: 'Failure', message: `Internal error occurred: ${message}`, reason: 'InternalError' },
		...{ details: { causes: [{ message }] }, code: 500 },
	});
	await t.throwsAsync(told('v4.channel.k8s.io'), { message: 'Unexpected server response: 500' });
	stop.abort();
	await stopped;
});
