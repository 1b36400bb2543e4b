/** A store in a process of its own, to be killed: answers reads and swaps that come over IPC. argv[2] is the SQLite database. */
import { realClock } from '../../base/clock.ts';
import { codeOf, messageOf } from '../../base/errors.ts';
import { openSqliteStore } from '../../controlplane/storage/sqlite-store.ts';
import { subjectOf } from './subject.ts';
import type { Answer, Call } from './killable.ts';

const subject = subjectOf(await openSqliteStore({ path: process.argv[2] ?? '', clock: realClock }));

async function answer(call: Call): Promise<Answer> {
	const { id } = call;
	try {
		if (call.type === 'read') {
			const seen = await subject.read(call.key);
			return { id, ...(seen === undefined ? {} : { value: seen.value, revision: String(seen.revision) }) };
		}
		const { key, expect, to } = call;
		return { id, revision: String(await subject.swap(key, expect === 'absent' ? 'absent' : BigInt(expect), to)) };
	} catch (error) {
		return { id, error: { code: codeOf(error), message: messageOf(error) } };
	}
}

process.on('message', (call: Call) => {
	answer(call).then(
		(done) => process.send?.(done),
		() => process.exit(1),
	);
});
process.send?.({ id: 0 });
