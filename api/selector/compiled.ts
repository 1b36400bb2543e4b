/** Selectors as tests that cost little where thousands of objects are asked: the usual term is one comparison. */
import { meetsTerm, type FieldRequirement } from './field.ts';
import { matchesRequirement, type LabelRequirement } from './label-text.ts';

type Values = Readonly<Record<string, string>>;
type Test = (values: Values) => boolean;

/** True for labels that meet every requirement. */
export function labelTest(requirements: readonly LabelRequirement[]): Test {
	return every(
		requirements.map((requirement) => {
			const { key, operator, values } = requirement;
			const [only] = values;
			const isEqual = operator === '=' || operator === '==' || operator === 'in';
			// What an object inherits is no string: it need not be told apart from what is its own.
			if (isEqual && values.length === 1) return (labels) => labels[key] === only;
			return (labels) => matchesRequirement(requirement, labels);
		}),
	);
}

/** True for fields that satisfy every term. */
export function fieldTest(requirements: readonly FieldRequirement[]): Test {
	return every(
		requirements.map((requirement) => {
			const { field, operator, value } = requirement;
			// A field that is missing is empty.
			if (operator !== '!=' && value !== '') return (fields) => fields[field] === value;
			return (fields) => meetsTerm(requirement, fields);
		}),
	);
}

function every(tests: readonly Test[]): Test {
	const [one, two] = tests;
	if (one === undefined) return () => true;
	if (two === undefined) return one;
	return (values) => tests.every((test) => test(values));
}
