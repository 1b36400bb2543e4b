/** The pod networks in network namespaces of the test's own: the built-in bridge with each packet filter, and upstream's CNI plug-ins. */
import { join } from 'node:path';
import test from 'ava';
import { casesOf, SUBJECTS } from '../../test/suites/pod-network-subjects.ts';
import { cniPlugins } from '../../test/tools/cni-plugins.ts';
import { inOwnNamespaces } from '../../test/tools/netns/enter.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'test', 'suites', 'pod-network-run.ts');
const isRoot = process.getuid?.() === 0;
if (!isRoot) test('skipped: needs root', (t) => t.pass());

/** Each subject is a network of its own: they run beside each other. */
const running = new Map<string, ReturnType<typeof inOwnNamespaces>>();
test.before((t) => {
	t.timeout(600_000);
	if (!isRoot) return;
	for (const subject of SUBJECTS) {
		const run = async (): ReturnType<typeof inOwnNamespaces> =>
			inOwnNamespaces(SCRIPT, [subject, ...(subject === 'cni' ? [await cniPlugins()] : [])]);
		const ended = run();
		ended.catch(() => {});
		running.set(subject, ended);
	}
});

for (const subject of SUBJECTS) {
	for (const { name } of casesOf(subject))
		(isRoot ? test.serial : test.skip)(`${subject}: ${name}`, async (t) => {
			t.timeout(600_000);
			const { cases = [], said = 'nothing ran' } = (await running.get(subject)) ?? {};
			const found = cases.find((c) => c.name === name);
			if (found === undefined) t.fail(`it was not run: ${said}`);
			else if (found.error !== undefined) t.fail(`${found.error}\n${said}`);
			else t.pass();
		});
}
