import test from 'ava';
import { generatedPrefix } from './generated-prefix.ts';

for (const [rule, name, want] of [
	['a dash where there is room for one', 'a', 'a-'],
	['the API server shortens it', 'x'.repeat(63), `${'x'.repeat(63)}-`],
	['names that are as long as can be have no dash', 'x'.repeat(253), 'x'.repeat(253)],
] as const)
	test(`generatedPrefix(): ${rule}`, (t) => t.is(generatedPrefix(name), want));
