/** [sig-node] Pods over websockets: commands and logs. */
import type { RequestOptions } from 'node:https';
import { WebSocket } from 'ws';
import { conformance, type World } from '../../suite.ts';
import { nameOf, running, says, STAYS } from '../pod.ts';

/** Everything that a websocket says until it closes. */
async function heard({ config, namespace }: World, path: string, protocol: string): Promise<readonly Buffer[]> {
	const options: RequestOptions = {};
	await config.applyToHTTPSOptions(options as never);
	const url = `${config.getCurrentCluster()?.server.replace(/^http/, 'ws')}/api/v1/namespaces/${namespace}/pods/${path}`;
	const socket = new WebSocket(url, protocol, options as never);
	const messages: Buffer[] = [];
	return new Promise((resolve, reject) => {
		socket.on('message', (data: Buffer) => messages.push(data));
		socket.once('close', () => resolve(messages));
		socket.once('error', reject);
	});
}

conformance('[sig-node] Pods should support remote command execution over websockets [NodeConformance] [Conformance]', async (world) => {
	const name = nameOf(await running(world, { script: STAYS }));
	const query = new URLSearchParams([
		['container', 'c'],
		['stdout', '1'],
		['stderr', '1'],
		...['echo', 'remote execution test'].map((word) => ['command', word] as [string, string]),
	]);
	const messages = await heard(world, `${name}/exec?${query.toString()}`, 'channel.k8s.io');
	const of = (channel: number): string =>
		Buffer.concat(messages.filter((message) => message[0] === channel).map((message) => message.subarray(1))).toString();
	world.t.is(of(1), 'remote execution test\n');
	world.t.is(of(2), '');
});

conformance(
	'[sig-node] Pods should support retrieving logs from the container over websockets [NodeConformance] [Conformance]',
	async (world) => {
		const name = nameOf(await running(world, { script: `echo container is alive; ${STAYS}` }));
		await says(world, name, /alive/);
		const messages = await heard(world, `${name}/log?container=c`, 'binary.k8s.io');
		world.t.is(Buffer.concat(messages).toString(), 'container is alive\n');
	},
);
