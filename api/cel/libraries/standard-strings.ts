/** contains, startsWith, endsWith, matches: strings of the standard library. */
import { overload, type Costs, type Overload } from '../functions.ts';
import { MATCHES, SEARCHES, sized, traversal, walks } from './costs.ts';
import { patternOf } from './pattern.ts';

/** Reckoned by the length of the part, and charged by the length of the text. */
const ENDS: Costs = { ...walks(1), cost: (args) => traversal(sized(args[0])) };

export const standardStrings: readonly Overload[] = [
	overload('contains_string', 'string::contains(string): bool', (s, part) => (s as string).includes(part as string), SEARCHES),
	overload('starts_with_string', 'string::startsWith(string): bool', (s, part) => (s as string).startsWith(part as string), ENDS),
	overload('ends_with_string', 'string::endsWith(string): bool', (s, part) => (s as string).endsWith(part as string), ENDS),
	// Without the cost of a search: cel-go charges it for `text.matches(pattern)` alone.
	overload('matches', 'matches(string, string): bool', (s, pattern) =>
		patternOf(pattern as string)
			.matcher(s as string)
			.find(),
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
