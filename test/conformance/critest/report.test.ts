/** How a report of critest is read, and which skips are excused. */
import test from 'ava';
import { scoreOf, specsOf } from './report.ts';
import { excuse } from './skips.ts';

const spec = (LeafNodeText: string, State: string, Message?: string, LeafNodeType = 'It'): object => ({
	LeafNodeType,
	ContainerHierarchyTexts: ['[k8s.io] Container', 'runtime'],
	LeafNodeText,
	State,
	RunTime: 2e9,
	...(Message === undefined ? {} : { Failure: { Message } }),
});
const report = (...specs: readonly object[]): string => JSON.stringify([{ SpecReports: specs }]);

test('a report counts specs alone, without benchmarks; what panicked or was cut off failed', (t) => {
	const specs = specsOf(
		report(
			spec('b', 'passed'),
			spec('a', 'panicked', 'why'),
			spec('c', 'skipped', 'not here'),
			spec('benchmark of pods', 'skipped'),
			spec('suite', 'passed', undefined, 'BeforeSuite'),
			spec('d', 'interrupted'),
		),
	);
	t.deepEqual(specs[0], { name: 'Container runtime a', result: 'failed', message: 'why', seconds: 2 });
	t.deepEqual(scoreOf(specs), { passed: 1, failed: 2, skipped: 1 });
	t.throws(() => specsOf(report()), { message: /no specs/ });
});

for (const [name, spec_, has, excused] of [
	['AppArmor on a kernel without', 'AppArmor runtime should', { appArmor: false, recursiveReadOnly: true }, true],
	['AppArmor on a kernel that has it', 'AppArmor runtime should', { appArmor: true, recursiveReadOnly: true }, false],
	['recursive read-only before Engine 25', 'should reject a recursive readonly mount', { appArmor: false, recursiveReadOnly: false }, true],
	['recursive read-only from then on', 'should support recursive readonly mounts', { appArmor: false, recursiveReadOnly: true }, false],
	['anything else', 'Security Context SupplementalGroupsPolicy', { appArmor: false, recursiveReadOnly: false }, false],
] as const)
	test(`a skip is excused by what the host lacks alone: ${name}`, (t) =>
		t.is(excuse({ name: spec_, result: 'skipped', message: '', seconds: 0 }, has) !== undefined, excused));
