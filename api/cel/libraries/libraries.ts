/** The function libraries of Kubernetes' CEL environment. */
import type { Overload } from '../functions.ts';
import { addresses } from './addresses.ts';
import { conversions } from './conversions.ts';
import { formatText } from './format-text.ts';
import { formats } from './formats.ts';
import { lists } from './lists.ts';
import { operators } from './operators.ts';
import { optionals } from './optionals.ts';
import { quantities } from './quantity.ts';
import { regex } from './regex.ts';
import { semver } from './semver.ts';
import { standardStrings } from './standard-strings.ts';
import { strings } from './strings.ts';
import { times } from './times.ts';
import { urls } from './url.ts';

export const KUBERNETES: readonly (readonly Overload[])[] = [
	operators,
	conversions,
	times,
	standardStrings,
	optionals,
	strings,
	formatText,
	lists,
	regex,
	urls,
	quantities,
	addresses,
	formats,
	semver,
];
