/** Streams that are let go of: first what was written, then the end; again, or late, is no harm. */
import { finished, Duplex, type Writable } from 'node:stream';
import { promisify } from 'node:util';
import test from 'ava';
import { letGo } from './let-go.ts';

const over = promisify(finished);

/** Says what it was given, each piece in a turn of its own. */
function slow(): { readonly stream: Duplex; readonly heard: string[] } {
	const heard: string[] = [];
	const write: NonNullable<ConstructorParameters<typeof Writable>[0]>['write'] = (chunk: Buffer, _encoding, done) => {
		heard.push(chunk.toString());
		setImmediate(done);
	};
	return { stream: new Duplex({ read: () => {}, write }), heard };
}

test('what was written goes out, and then it is gone', async (t) => {
	const { stream, heard } = slow();
	for (const piece of ['a', 'b', 'c']) stream.write(piece);
	letGo(stream);
	letGo(stream);
	t.false(stream.destroyed);
	await over(stream, { readable: false });
	await new Promise((resolve) => setImmediate(resolve));
	t.deepEqual(heard, ['a', 'b', 'c']);
	t.true(stream.destroyed);
});

test('one that has ended, or broke, is gone', async (t) => {
	const [ended, broken] = [slow().stream, slow().stream];
	ended.end();
	await over(ended, { readable: false });
	broken.destroy();
	for (const stream of [ended, broken]) letGo(stream);
	await new Promise((resolve) => setImmediate(resolve));
	t.true(ended.destroyed && broken.destroyed);
});
