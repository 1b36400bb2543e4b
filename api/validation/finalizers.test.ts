import test from 'ava';
import type { FieldError } from '../field-error.ts';
import { genericMetaUpdate } from './metadata.ts';

test('finalizers added to what is being deleted are told sorted, each once', (t) => {
	const errors: FieldError[] = [];
	const old = { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x.y/z'] };
	genericMetaUpdate(errors, { ...old, finalizers: ['x.y/z', 'orphan', 'n.e/w', 'orphan'] }, old);
	t.is(errors.length, 1);
	t.true(errors[0]?.message?.endsWith('found new finalizers []string{"n.e/w", "orphan"}'));
});
