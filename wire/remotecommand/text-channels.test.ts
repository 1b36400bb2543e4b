/** Commands over WebSockets whose messages are text: the channel as a digit, and base64 (upstream's wsstream). */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { WebSocket } from 'ws';
import { realClock } from '../../base/clock.ts';
import { acceptCommand } from './accept.ts';
import { readChannel } from './channels.ts';
import type { CommandEnd, CommandSession, CommandWants, TerminalSize } from './session.ts';

const ALL: CommandWants = { stdin: true, stdout: true, stderr: true, tty: false };
const base64 = (body: string | Uint8Array): string => Buffer.from(body).toString('base64');

async function client(protocols: readonly string[], wants: CommandWants, run: (session: CommandSession) => Promise<CommandEnd>) {
	const server = createServer();
	server.on('upgrade', (request, socket, head) => {
		const serve = async (): Promise<void> => {
			const session = await acceptCommand(request, socket, head, wants, realClock);
			await session.finish(await run(session));
		};
		serve().catch(() => {});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, [...protocols]);
	const messages: (readonly [kind: 'binary' | 'text', string])[] = [];
	socket.on('message', (data: Buffer, isBinary) => messages.push([isBinary ? 'binary' : 'text', data.toString('latin1')]));
	await once(socket, 'open');
	const closed = once(socket, 'close');
	const told = async (count: number): Promise<typeof messages> => {
		while (messages.length < count) await once(socket, 'message');
		return messages;
	};
	return { socket, messages, told, closed, end: () => server.close() };
}

/** Says back what it hears until "end", on both outputs. */
async function echo({ stdin, stdout, stderr }: CommandSession): Promise<CommandEnd> {
	for await (const chunk of stdin ?? []) {
		if (String(chunk) === 'end') break;
		stdout?.write(chunk);
		stderr?.write('heard');
	}
	return { type: 'exit', code: 3 };
}

const FAILED = 'command terminated with non-zero exit code: exit status 3';

for (const [protocol, isStatus] of [
	['v4.base64.channel.k8s.io', true],
	['base64.channel.k8s.io', false],
] as const)
	test(`${protocol}: every message is text, both ways`, async (t) => {
		const { socket, told, messages, closed, end } = await client([protocol], ALL, echo);
		t.is(socket.protocol, protocol);
		t.deepEqual(await told(1), [['text', '1']], 'the connection stands');
		const body = Buffer.from([0, 255, 10, 0xc3]);
		socket.send(`0${base64(body)}`);
		t.deepEqual((await told(3)).slice(1), [
			['text', `1${base64(body)}`],
			['text', `2${base64('heard')}`],
		]);
		// As bytes they are the same to upstream; what is no base64, or of no channel, is passed over.
		for (const ignored of ['0%%%', '0YQ', '9YQ==', '']) socket.send(ignored);
		socket.send(Buffer.from(`0${base64('b')}`));
		t.deepEqual((await told(4))[3], ['text', `1${base64('b')}`]);
		socket.send(`0${base64('end')}`);
		t.is((await closed)[0], 1000);
		const [kind, last = ''] = messages.at(-1) ?? [];
		t.is(kind, 'text');
		t.is(last[0], '3');
		const said = Buffer.from(last.slice(1), 'base64').toString();
		if (isStatus) t.like(JSON.parse(said), { status: 'Failure', reason: 'NonZeroExitCode', message: FAILED });
		else t.is(said, FAILED);
		end();
	});

test('v4.base64: sizes of the terminal are base64, too', async (t) => {
	const sized = Promise.withResolvers<TerminalSize>();
	const { socket, end } = await client(['v4.base64.channel.k8s.io'], { ...ALL, tty: true }, async (session) => {
		session.onResize(sized.resolve);
		await sized.promise;
		return { type: 'exit', code: 0 };
	});
	socket.send(`4${base64('{"Width":80,"Height":24}')}`);
	t.deepEqual(await sized.promise, { width: 80, height: 24 });
	end();
});

test('a megabyte of text goes in and comes whole', async (t) => {
	const { socket, messages, closed, end } = await client(['v4.base64.channel.k8s.io'], ALL, async ({ stdin, stdout }) => {
		let left = 1 << 20;
		for await (const chunk of stdin ?? []) {
			stdout?.write(chunk);
			if ((left -= (chunk as Buffer).length) <= 0) break;
		}
		return { type: 'exit', code: 0 };
	});
	const body = Buffer.alloc(1 << 20, 'abcdefg');
	for (let at = 0; at < body.length; at += 50_000) socket.send(`0${base64(body.subarray(at, at + 50_000))}`);
	await closed;
	const out = messages.filter(([, said]) => said.startsWith('1')).map(([, said]) => Buffer.from(said.slice(1), 'base64'));
	t.true(Buffer.concat(out).equals(body));
	end();
});

test('of the protocols that a client offers the first one counts that is known', async (t) => {
	for (const [offered, chosen] of [
		[['v4.base64.channel.k8s.io', 'v5.channel.k8s.io'], 'v4.base64.channel.k8s.io'],
		[['v9.channel.k8s.io', 'channel.k8s.io', 'v4.channel.k8s.io'], 'channel.k8s.io'],
		[['v5.channel.k8s.io', 'v4.channel.k8s.io'], 'v5.channel.k8s.io'],
	] as const) {
		const { socket, end } = await client(offered, ALL, () => Promise.resolve({ type: 'exit', code: 0 }));
		t.is(socket.protocol, chosen);
		socket.terminate();
		end();
	}
});

test('where messages are bytes, the channel is one also in a text message', async (t) => {
	const heard = Promise.withResolvers<string>();
	const { socket, end } = await client(['v4.channel.k8s.io'], ALL, async ({ stdin }) => {
		heard.resolve(stdin === undefined ? '' : await text(stdin));
		return { type: 'exit', code: 0 };
	});
	socket.send('0of no channel');
	socket.send('\0of the first');
	socket.close();
	t.is(await heard.promise, 'of the first');
	end();
});

test('a message of many megabytes is read, or passed over, as any other', (t) => {
	const body = Buffer.alloc(24 << 20, 'x');
	const message = Buffer.from(`1${base64(body)}`);
	const read = readChannel(message, true);
	t.is(read?.channel, 1);
	t.true(read?.body.equals(body));
	message[message.length - 5] = 0x21;
	t.is(readChannel(message, true), undefined);
});

for (const [text, want] of [
	['', ''],
	['YQ==', 'a'],
	['YW\nI=\r\n', 'ab'],
	['YWJj', 'abc'],
	['YQ', undefined],
	['YQ=', undefined],
	['Y===', undefined],
	['====', undefined],
	['YQ==YQ==', undefined],
	['YW_j', undefined],
] as const)
	test(`readChannel(): base64 ${JSON.stringify(text)}`, (t) => t.is(readChannel(Buffer.from(`0${text}`), true)?.body.toString(), want));
