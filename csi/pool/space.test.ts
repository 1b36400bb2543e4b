/** The room of a pool, on this machine's own disk: what is promised to those who come one after another, and how often all data is looked at for it. */
import { tmpdir } from 'node:os';
import test from 'ava';
import { noLog } from '../../base/log.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import { PoolSpace } from './space.ts';

/** A pool whose volumes are sizes, none of them written to. */
class Pool {
	readonly clock = new VirtualClock(0);
	readonly volumes: number[] = [];
	looks = 0;
	readonly space = new PoolSpace(tmpdir(), this.clock, noLog, {
		count: () => this.volumes.length,
		bytes: () => {
			this.looks++;
			return this.volumes.reduce((sum, size) => sum + size, 0);
		},
	});

	async make(bytes: number): Promise<void> {
		using _room = await this.space.reserve(bytes);
		this.volumes.push(bytes);
	}
}

const FULL = { code: 'ResourceExhausted' } as const;

test('room: the data of all volumes is not looked at for each new one', async (t) => {
	const pool = new Pool();
	for (let i = 0; i < 50; i++) await pool.make(4096);
	t.is(pool.looks, 1);
	await pool.clock.advance(1000);
	await pool.make(4096);
	t.is(pool.looks, 2, 'but once a second');
});

test('room: what was promised since the last look counts', async (t) => {
	const pool = new Pool();
	const third = Math.floor((await pool.space.availableBytes()) * 0.3);
	for (let i = 0; i < 3; i++) await pool.make(third);
	t.is(pool.looks, 1);
	await t.throwsAsync(pool.make(third), FULL);
	t.is(pool.looks, 2, 'nobody is refused by a sum');
	t.true((await pool.space.availableBytes()) < third);
});

test('room: what was given back, or never made, is there for the next one', async (t) => {
	const pool = new Pool();
	const most = Math.floor((await pool.space.availableBytes()) * 0.6);
	await pool.make(most);
	pool.volumes.pop();
	await pool.make(most);
	pool.volumes.pop();
	(await pool.space.reserve(most))[Symbol.dispose]();
	await pool.make(most);
	await t.throwsAsync(pool.make(most), FULL);
	pool.volumes.pop();
	t.true((await pool.space.availableBytes()) > most);
});

test('room: what is being made counts until it is there', async (t) => {
	const pool = new Pool();
	const most = Math.floor((await pool.space.availableBytes()) * 0.6);
	const room = await pool.space.reserve(most);
	await t.throwsAsync(pool.make(most), FULL);
	room[Symbol.dispose]();
	await t.notThrowsAsync(pool.make(most));
});
