/** The small languages: selectors, quantities and continue tokens. */
import { addQuantities, canonicalQuantity, compareQuantities, parseQuantity, roundedToMilli } from '../../../api/quantity.ts';
import { fieldTest, labelTest } from '../../../api/selector/compiled.ts';
import { formatFieldSelector, parseFieldSelector } from '../../../api/selector/field.ts';
import { formatRequirements, parseLabelSelector } from '../../../api/selector/label-text.ts';
import { decodeContinue, encodeContinue } from '../../../controlplane/apiserver/request/continue-token.ts';
import { mustEqual, type Target } from '../fuzz.ts';
import { objectOf } from '../json.ts';
import { edited, NASTY, words } from '../text.ts';

const LABEL_WORDS = [
	'a',
	'app',
	'example.com/x',
	'in',
	'notin',
	'=',
	'==',
	'!=',
	'!',
	'(',
	')',
	',',
	'<',
	'>',
	'1',
	'-5',
	'web',
	'x.y-z_1',
];
const FIELD_WORDS = ['metadata.name', 'status.phase', '=', '==', '!=', ',', '\\,', '\\=', '\\\\', '\\', 'a', 'web'];

interface Selection {
	readonly text: string;
	readonly values: Readonly<Record<string, string>>;
}

const labels = ['a', 'app', 'example.com/x', 'in', '__proto__', 'metadata.name', 'status.phase'];

export const labelSelector: Target<Selection> = {
	name: 'label selectors',
	input: (choose) => ({
		text: edited(choose, words(choose, LABEL_WORDS, 20), LABEL_WORDS),
		values: objectOf(choose.several(3, () => [choose.pick(labels), choose.pick(['web', '1', '', '6'])] as const)) as Selection['values'],
	}),
	check({ text, values }) {
		const parsed = parseLabelSelector(text);
		const again = parseLabelSelector(formatRequirements(parsed));
		mustEqual(formatRequirements(again), formatRequirements(parsed), 'formatted again');
		mustEqual(labelTest(again)(values), labelTest(parsed)(values), 'matches');
	},
};

export const fieldSelector: Target<Selection> = {
	name: 'field selectors',
	input: (choose) => ({
		text: edited(choose, words(choose, FIELD_WORDS, 20), FIELD_WORDS),
		values: objectOf(choose.several(3, () => [choose.pick(labels), choose.pick(['web', 'a', ''])] as const)) as Selection['values'],
	}),
	check({ text, values }) {
		const parsed = parseFieldSelector(text);
		const again = parseFieldSelector(formatFieldSelector(parsed));
		// Terms are sorted as they are written, and == is written as =.
		const sorted = (terms: typeof parsed): string[] => terms.map((term) => formatFieldSelector([term])).toSorted();
		mustEqual(sorted(again), sorted(parsed), 'parsed again');
		mustEqual(fieldTest(again)(values), fieldTest(parsed)(values), 'matches');
	},
};

const QUANTITY_WORDS = [
	'0',
	'1',
	'9',
	'.',
	'-',
	'+',
	'e',
	'E',
	'n',
	'u',
	'm',
	'k',
	'K',
	'Ki',
	'Mi',
	'Gi',
	'Ti',
	'Pi',
	'Ei',
	'M',
	'G',
	'T',
	'P',
	'9223372036854775807',
	'000',
	'1024',
];

const LARGEST = 10n ** 30n;

/** What binary suffixes reach, in nanos. */
const MOST_BINARY = 2n ** 63n * 10n ** 9n;

export const quantity: Target<readonly [string, string]> = {
	name: 'quantities',
	input: (choose) => {
		const one = (): string =>
			edited(
				choose,
				choose.chance(50) ? choose.pick(['1', '100m', '1.5Gi', '1e3', '-7k', '.5', '5.']) : words(choose, QUANTITY_WORDS, 6),
				QUANTITY_WORDS,
			);
		return [one(), one()];
	},
	check([a, b]) {
		for (const one of [a, b]) {
			const text = canonicalQuantity(one);
			mustEqual(canonicalQuantity(text), text, 'canonical again');
			// Go has no suffix for more, and leaves it out.
			const { nano } = parseQuantity(one);
			if (nano >= LARGEST || nano <= -LARGEST) continue;
			mustEqual(compareQuantities(one, text), 0, 'canonical is equal');
			if (compareQuantities(roundedToMilli(one), one) * (text.startsWith('-') ? -1 : 1) < 0) throw new Error('rounded towards zero');
		}
		mustEqual(compareQuantities(a, b) + compareQuantities(b, a), 0, 'compared the other way');
		// A sum may be more than binary suffixes reach.
		const sum = parseQuantity(a).nano + parseQuantity(b).nano;
		if (sum < MOST_BINARY && sum > -MOST_BINARY)
			mustEqual(compareQuantities(addQuantities(a, b), addQuantities(b, a)), 0, 'added the other way');
	},
};

export const continueToken: Target<string> = {
	name: 'continue tokens',
	input(choose) {
		const after = words(choose, ['default/', 'a', 'web', '/', '..', '\u0000', ...NASTY], 4);
		const text = choose.chance(30)
			? Buffer.from(
					edited(
						choose,
						JSON.stringify({ v: 'meta.k8s.io/v1', rv: choose.pick<unknown>([1, -1, 0, '5', 2 ** 60, 1.5, null]), start: after }),
					),
				).toString('base64url')
			: encodeContinue({ revision: BigInt(choose.pick([1, 0, -1, 2 ** 53])), after });
		return edited(choose, text, [...NASTY, 'A', '=', '_', '-', 'eyJ2']);
	},
	check(token) {
		const decoded = decodeContinue(token);
		const again = decodeContinue(encodeContinue(decoded));
		mustEqual([again.after, String(again.revision)], [decoded.after, String(decoded.revision)], 'decoded again');
	},
};
