/** contains, startsWith, endsWith, matches: strings of the standard library. */
import { overload, type Overload } from '../functions.ts';
import { MATCHES, SEARCHES, walks } from './costs.ts';
import { patternOf } from './pattern.ts';

export const standardStrings: readonly Overload[] = [
	overload('contains_string', 'string::contains(string): bool', (s, part) => (s as string).includes(part as string), SEARCHES),
	overload('starts_with_string', 'string::startsWith(string): bool', (s, part) => (s as string).startsWith(part as string), walks(1)),
	overload('ends_with_string', 'string::endsWith(string): bool', (s, part) => (s as string).endsWith(part as string), walks(1)),
	overload(
		'matches',
		'matches(string, string): bool',
		(s, pattern) =>
			patternOf(pattern as string)
				.matcher(s as string)
				.find(),
		MATCHES,
	),
	overload(
		'matches_string',
		'string::matches(string): bool',
		(s, pattern) =>
			patternOf(pattern as string)
				.matcher(s as string)
				.find(),
		MATCHES,
	),
];
