/** A client's connection to a server that says its last and is gone, as Go's do. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { SpdyConnection } from './connection.ts';
import { controlFrame, dataFrame, numbers, readFrames, TYPE, type Frame } from './frames.ts';

function connected() {
	const written: Frame[] = [];
	const socket = new Duplex({
		read() {},
		write(chunk: Buffer, _encoding, done) {
			written.push(...readFrames(chunk).frames);
			done();
		},
	});
	return { socket, written, connection: new SpdyConnection(socket, new Uint8Array(), { side: 'client' }) };
}

async function turns(): Promise<void> {
	for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}

test('what came before the connection broke is read', async (t) => {
	const { socket, connection } = connected();
	const [output, status] = [await connection.open({ streamtype: 'stdout' }), await connection.open({ streamtype: 'error' })];
	const told = text(status);
	await turns();
	socket.push(dataFrame(1, Buffer.from('output'), false));
	socket.push(dataFrame(3, Buffer.from('told'), false));
	socket.push(controlFrame(TYPE.rstStream, numbers(3, 5)));
	socket.destroy(new Error('read ECONNRESET'));
	t.is(await told, 'told');
	await connection.closed;
	const said: string[] = [];
	output.setEncoding('utf8').on('data', (chunk: string) => said.push(chunk));
	await new Promise((resolve) => output.once('end', resolve));
	t.deepEqual([said, output.isCut], [['output'], true]);
});

test('what a server said before it broke the connection is read by who still writes to it', async (t) => {
	const listener = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
	await once(listener, 'listening');
	const socket = connect((listener.address() as AddressInfo).port, '127.0.0.1');
	const [[server]] = (await Promise.all([once(listener, 'connection'), once(socket, 'connect')])) as [[Socket], unknown];
	const connection = new SpdyConnection(socket, new Uint8Array(), { side: 'client' });
	const [input, status] = [await connection.open({ streamtype: 'stdin' }), await connection.open({ streamtype: 'error' })];
	const told = text(status);
	await turns();
	server.write(Buffer.concat([dataFrame(3, Buffer.from('told'), false), controlFrame(TYPE.rstStream, numbers(3, 5))]));
	// The client's frames are unread.
	server.resetAndDestroy();
	input.write('more');
	t.is(await told, 'told');
	await connection.closed;
	t.true(input.destroyed);
	listener.close();
});

test('nothing is written to a server that only speaks and ends', async (t) => {
	const { socket, written, connection } = connected();
	const output = await connection.open({ streamtype: 'stdout' });
	const said = text(output);
	for (let i = 0; i < 4; i++) socket.push(dataFrame(1, Buffer.alloc(32 * 1024, 'x'), false));
	socket.push(controlFrame(TYPE.rstStream, numbers(1, 5)));
	t.is((await said).length, 128 * 1024);
	await turns();
	t.deepEqual(
		written.map((frame) => frame.kind === 'control' && frame.type),
		[TYPE.synStream],
	);
	connection.close();
});
