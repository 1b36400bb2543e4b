/** Of too many managers the oldest are joined: a version at a time, nothing lost. */
import test from 'ava';
import { FieldSet } from './field-set.ts';
import { capManagers, managerKey, type Manager, type Managers } from './managers.ts';

const at = (seconds: number): string => `2026-01-01T00:00:${String(seconds).padStart(2, '0')}Z`;

function manager(name: string, apiVersion: string, second: number, field = name): Manager {
	const fields = FieldSet.fromFieldsV1({ [`f:${field}`]: {} });
	return { manager: name, operation: 'Update', apiVersion, subresource: '', time: at(second), fields };
}

const table = (all: readonly Manager[]): Managers => new Map(all.map((m) => [managerKey(m), m]));
const nine = Array.from({ length: 9 }, (_, i) => manager(`m${i}`, 'v1', 10 + i));

function shown(managers: Managers): Readonly<Record<string, readonly [time: string | undefined, fields: readonly string[]]>> {
	const rows = [...managers.values()].map(
		(m) => [`${m.manager}/${m.apiVersion}`, [m.time, Object.keys(m.fields.toFieldsV1()).sort()]] as const,
	);
	return Object.fromEntries(rows);
}

test('capManagers(): ten are none too many', (t) => {
	const ten = table([...nine, manager('old', 'v1', 1)]);
	t.is(capManagers(ten), ten);
});

test('capManagers(): the oldest two of a version are one, of the newer time', (t) => {
	const capped = shown(capManagers(table([manager('a', 'v1', 1), manager('b', 'v1', 2), ...nine])));
	t.is(Object.keys(capped).length, 10);
	t.deepEqual(capped['ancient-changes/v1'], [at(2), ['f:a', 'f:b']]);
});

test('capManagers(): the only one of its version keeps its name', (t) => {
	const capped = shown(capManagers(table([manager('other', 'v1beta1', 1), manager('a', 'v1', 2), ...nine])));
	t.deepEqual(capped['other/v1beta1'], [at(1), ['f:other']]);
	t.deepEqual(capped['ancient-changes/v1'], [at(10), ['f:a', 'f:m0']]);
});

test('capManagers(): what was joined before stays, whenever it was', (t) => {
	for (const second of [0, 40]) {
		const capped = shown(
			capManagers(table([manager('a', 'v1', 1), manager('b', 'v1', 2), manager('ancient-changes', 'v1', second, 'x'), ...nine.slice(1)])),
		);
		t.true(capped['ancient-changes/v1']?.[1].includes('f:x'), `at ${second}`);
		const fields = Object.values(capped).flatMap(([, all]) => all);
		t.is(new Set(fields).size, 11, 'nothing is lost');
	}
});
