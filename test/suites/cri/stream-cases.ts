/** Exec, attach and port-forward over SPDY, the transport that every runtime has. */
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connectCommand } from '../../../wire/remotecommand/connect.ts';
import { connectPortForward } from '../../../wire/remotecommand/port-forward-client.ts';
import type { RemoteCommand } from '../../../wire/remotecommand/remote-command.ts';
import { eventually } from '../../tools/eventually.ts';
import { type CriCase, isRefused, type Scene } from './scene.ts';

const never = new AbortController().signal;

async function exec(scene: Scene, containerId: string, cmd: string[], { stdin = false, tty = false } = {}): Promise<RemoteCommand> {
	const wants = { stdin, stdout: true, stderr: !tty, tty };
	const { url } = await scene.runtime.exec({ containerId, cmd, ...wants });
	return connectCommand({ url: new URL(url) }, wants, 'spdy', never);
}

/** A command that cannot be run is told by an error or by an exit code. */
const ended = async (command: RemoteCommand): Promise<unknown> => {
	const end = await command.ended;
	return end.type === 'exit' ? { type: end.type, code: end.code } : { type: end.type };
};

export const STREAM_CASES: readonly CriCase[] = [
	{
		name: 'exec: output, input, end, terminal',
		answers: async (scene) => {
			const pod = await scene.pod();
			const id = await scene.sleeper(pod);
			const plain = await exec(scene, id, ['sh', '-c', 'echo out; echo err >&2; exit 9']);
			const [out, err] = await Promise.all([text(plain.stdout as Readable), text(plain.stderr as Readable)]);
			const fed = await exec(scene, id, ['sh', '-c', 'wc -c; echo after'], { stdin: true });
			fed.stdin?.end('12345');
			const counted = await text(fed.stdout as Readable);
			const terminal = await exec(
				scene,
				id,
				['sh', '-c', 'while [ "$(stty size 2>/dev/null)" != "33 111" ]; do sleep 0.05; done; tty; echo sized >&2'],
				{
					stdin: true,
					tty: true,
				},
			);
			terminal.resize({ width: 111, height: 33 });
			const shown = await text(terminal.stdout as Readable);
			return { out, err, end: await ended(plain), counted, fedEnd: await ended(fed), shown, terminalEnd: await ended(terminal) };
		},
	},
	{
		name: 'what exec refuses',
		answers: async (scene) => {
			const { runtime } = scene;
			const pod = await scene.pod();
			const id = await scene.sleeper(pod);
			const stopped = await scene.start(pod, 'stopped', ['true']);
			await scene.exit(stopped);
			const wants = { stdin: false, stdout: true, stderr: true, tty: false };
			const { url } = await runtime.exec({ containerId: id, cmd: ['echo', 'once'], ...wants });
			const first = await connectCommand({ url: new URL(url) }, wants, 'spdy', never);
			return {
				first: await text(first.stdout as Readable),
				again: await isRefused(connectCommand({ url: new URL(url) }, wants, 'spdy', never)),
				nothing: await isRefused(runtime.exec({ containerId: id, cmd: ['true'], stdin: false, stdout: false, stderr: false, tty: false })),
				terminalWithErrors: await isRefused(runtime.exec({ containerId: id, cmd: ['true'], ...wants, tty: true })),
				stopped: await isRefused(runtime.exec({ containerId: stopped, cmd: ['true'], ...wants })),
				attachToStopped: await isRefused(runtime.attach({ containerId: stopped, ...wants })),
			};
		},
	},
	{
		name: 'attach: what comes from now on, and input',
		answers: async (scene) => {
			const pod = await scene.pod();
			const id = await scene.start(pod, 'main', ['sh', '-c', 'while read x; do echo "got $x"; done; echo over'], {
				stdin: true,
				stdinOnce: true,
			});
			const wants = { stdin: true, stdout: true, stderr: true, tty: false };
			const { url } = await scene.runtime.attach({ containerId: id, ...wants });
			const attached = await connectCommand({ url: new URL(url) }, wants, 'spdy', never);
			attached.stdin?.end('hello\n');
			const said = await text(attached.stdout as Readable);
			const { exitCode } = await scene.exit(id);
			return {
				said,
				exitCode,
				logged: (await scene.log(pod, 'main', (text) => / over\n/.test(text))).map((l) => l.split(' ').slice(1).join(' ')),
			};
		},
	},
	{
		name: 'a forwarded port',
		answers: async (scene) => {
			const pod = await scene.pod();
			const id = await scene.start(pod, 'main', ['httpd', '-f', '-p', '8080', '-h', '/etc']);
			await eventually('somebody listens', async () => (await scene.exec(id, 'cat', '/proc/net/tcp', '/proc/net/tcp6')).includes(':1F90 '));
			const answer = async (port: number): Promise<string> => {
				const { url } = await scene.runtime.portForward({ podSandboxId: pod.id, port: [port] });
				const forward = await connectPortForward({ url: new URL(url) }, 'spdy', never);
				const connection = await forward.open(port);
				connection.on('error', () => {}).end('GET /group HTTP/1.0\r\n\r\n');
				const said = await text(connection).finally(() => forward.close());
				return said.slice(said.indexOf('\r\n\r\n'));
			};
			// containerd 1.6 tells the refusal, later ones may only end the data (the shim's words: cri/streaming/streaming.integration.test.ts).
			return { answered: await answer(8080), elsewhere: await answer(8081).catch(() => '') };
		},
	},
];
