/** Names of iSCSI targets: what upstream's pattern says, in the time of their length. */
import test from 'ava';
import fc from 'fast-check';
import type { FieldError } from '../../field-error.ts';
import { iscsiVolume } from './volume-plugins.ts';

/** Of upstream (pkg/apis/core/validation). */
const IQN = /iqn\.\d{4}-\d{2}\.[0-9A-Za-z.-]+:[^,;*&$|\s]+$/;

function isGood(iqn: string): boolean {
	const out: FieldError[] = [];
	iscsiVolume(out, 'iscsi', { targetPortal: 'p', iqn });
	return out.length === 0;
}

test('an iqn is judged as by the pattern', (t) => {
	const pieces = fc.constantFrom('iqn.2001-04.', 'iqn.', '2001-04.', 'a', '-', '.', ':', 'com.example', 'x', '*', ' ', '1');
	const names = fc.array(pieces, { maxLength: 8 }).map((parts) => `iqn.2001-04.${parts.join('')}`);
	fc.assert(
		fc.property(names, (name) => isGood(name) === IQN.test(name)),
		{ numRuns: 3000 },
	);
	t.true(isGood('iqn.2001-04.com.example:storage.disk1'));
	t.false(isGood('iqn.2001-04.com.example'));
});

for (const [what, name] of [
	['beginnings', 'iqn.2000-01.a'.repeat(80_000)],
	['ends', `iqn.2000-01.a:${'x'.repeat(1_000_000)}*`],
	['colons', `iqn.2000-01.${':'.repeat(1_000_000)} `],
] as const)
	test(`a megabyte of ${what} is judged in the time of its length`, (t) => {
		t.timeout(5000);
		t.false(isGood(name));
	});
