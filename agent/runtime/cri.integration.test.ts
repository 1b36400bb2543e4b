/** The Runtime over the real socket of the shim: the suite that every runtime passes. Skips, saying why, where there is no engine. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { realClock } from '../../base/clock.ts';
import { ensureTestImage, startTestShim, TEST_IMAGE, testEngine, type TestShim } from '../../test/tools/cri.ts';
import { runtimeSuite } from '../../test/suites/runtime-suite.ts';
import { connectCri } from './cri.ts';

const engine = await testEngine();
if (typeof engine === 'string') test(`skipped: ${engine}`, (t) => t.pass());
else {
	let shim: TestShim;
	test.before(async () => {
		await ensureTestImage(engine);
		shim = await startTestShim(`rt${process.pid}`);
	});
	test.after.always(async () => shim?.stop());
	let count = 0;
	runtimeSuite(test, 'CRI', async () => {
		const runtime = await connectCri(join(shim.dir, 'cri.sock'), realClock, 60_000);
		const name = `p${++count}`;
		const command = ['busybox', 'sh', '-c', 'trap "exit 0" TERM; echo line; busybox sleep 1000 & wait'];
		const image = await runtime.image(TEST_IMAGE, new AbortController().signal);
		return {
			runtime,
			pod: {
				metadata: { name, namespace: 'n', uid: `uid-${process.pid}-${name}` },
				spec: { containers: [{ name: 'c', image: TEST_IMAGE, command }] },
			},
			imageId: image?.id ?? '',
			logDirectory: join(shim.dir, 'logs', name),
			settled: async (attempt) => {
				const written = (): Promise<string> => readFile(join(shim.dir, 'logs', name, 'c', `${attempt}.log`), 'utf8').catch(() => '');
				while (!(await written()).includes('line')) await new Promise((resolve) => setTimeout(resolve, 10));
			},
			dispose: () => Promise.resolve(runtime.close()),
		};
	});
}
