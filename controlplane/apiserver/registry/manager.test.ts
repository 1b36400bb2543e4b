import test from 'ava';
import type { ApiRequest } from '../contracts.ts';
import { managerOf } from './manager.ts';

const asked = (agent: string | undefined, fromConnection = true): ApiRequest =>
	({
		headers: { 'user-agent': agent },
		repeated: fromConnection ? { lines: () => [], anyBeginning: () => false } : undefined,
	}) as unknown as ApiRequest;
const sent = (text: string): string => Buffer.from(text).toString('latin1');

for (const [name, manager, agent, want] of [
	['what is given', 'given', 'kubectl/v1', 'given'],
	['the first word of the user agent', '', 'kubectl/v1.36.0 (linux/amd64)', 'kubectl'],
	['in any script', '', sent('größe-✓/1'), 'größe-✓'],
	['without what is not printable', '', sent('a\tb\u00a0c\u200b/1'), 'abc'],
	['at most 128 bytes of it', '', sent(`${'a'.repeat(127)}ßb`), 'a'.repeat(127)],
	['unknown where nothing is said', '', undefined, 'unknown'],
	['unknown where nothing is left', '', '/1', 'unknown'],
] as const)
	test(`managerOf(): ${name}`, (t) => t.is(managerOf(manager, asked(agent)), want));

test('managerOf(): a request of this process has texts for headers', (t) => t.is(managerOf('', asked('größe/1', false)), 'größe'));
