/**
 * How upstream's generated parser goes on after what it did not expect: ANTLR's default strategy. It drops one token where the next one fits, makes
 * one up where the token fits what follows, or gives the rule up and skips to what may follow any rule around; and is silent until a token fits again.
 */
import { NOWHERE, type Issue } from './issues.ts';
import { displayed, type Token } from './lexer.ts';

/** A kind of token, as error messages name it; END: the rule may end there. */
export type Kind = string;
export const END: Kind = '';
const EOF: Kind = '<EOF>';

/** In the order of upstream's grammar, in which sets are shown. */
const ORDER: readonly Kind[] = [
	...[
		EOF,
		"'=='",
		"'!='",
		"'in'",
		"'<'",
		"'<='",
		"'>='",
		"'>'",
		"'&&'",
		"'||'",
		"'['",
		"']'",
		"'{'",
		"'}'",
		"'('",
		"')'",
		"'.'",
		"','",
		"'-'",
	],
	...["'!'", "'?'", "':'", "'+'", "'*'", "'/'", "'%'", "'true'", "'false'", "'null'"],
	...['NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER', 'ESC_IDENTIFIER'],
];

const KINDS: Readonly<Record<Exclude<Token['type'], 'op'>, Kind>> = {
	ident: 'IDENTIFIER',
	escaped: 'ESC_IDENTIFIER',
	int: 'NUM_INT',
	uint: 'NUM_UINT',
	float: 'NUM_FLOAT',
	string: 'STRING',
	bytes: 'BYTES',
	end: EOF,
};

function kindOf({ type, text }: Token): Kind {
	if (type === 'op') return `'${text}'`;
	return KINDS[type];
}

/** The rule cannot go on. */
class Stuck extends Error {
	readonly state: string;
	readonly issue: Issue;
	constructor(state: string, at: number, text: string) {
		super(text);
		this.state = state;
		this.issue = { at, text };
	}
}

/** The reading ends at a limit. */
export class GivenUp extends Error {}

/** cel-go's limits: errors that are told, recoveries, and tokens that one of them passes over. */
const MAX_REPORTS = 100;
const MAX_RECOVERIES = 30;
const MAX_SKIPPED = 256;

const quoted = (text: string): string => `'${displayed(text)}'`;

function shown(kinds: ReadonlySet<Kind>): string {
	const names = ORDER.filter((kind) => kinds.has(kind));
	return names.length === 1 ? `${names[0]}` : `{${names.join(', ')}}`;
}

export class Recovery {
	/** In the order in which they were found. */
	readonly issues: Issue[] = [];
	readonly #tokens: readonly Token[];
	readonly #kinds: readonly Kind[];
	readonly #unread: readonly Issue[];
	#unreadTold = 0;
	#reports = 0;
	#recoveries = 0;
	/** What may follow each of the rules around; END: what may follow the next one out. */
	readonly #follows: (readonly Kind[])[] = [];
	#at = 0;
	#silent = false;
	#stuckAt = -1;
	readonly #stuckIn = new Set<string>();

	/** @param unread what the lexer could not read, in order: told when the token after it is reached */
	constructor(tokens: readonly Token[], unread: readonly Issue[]) {
		this.#tokens = tokens;
		this.#unread = unread;
		this.#kinds = tokens.map(kindOf);
	}

	/** Before the first rule. */
	start(): void {
		this.#reach();
	}

	/** The kind of the token so many further. */
	ahead(count = 0): Kind {
		return this.#kinds[this.#at + count] ?? EOF;
	}

	is(kinds: readonly Kind[], ahead = 0): boolean {
		return kinds.includes(this.ahead(ahead));
	}

	/** Where the next token stands. */
	get place(): number {
		return this.#token().at;
	}

	/** A rule, which ends early where it is stuck: false then. */
	rule(follow: readonly Kind[] | undefined, body: () => void): boolean {
		if (follow !== undefined) this.#follows.push(follow);
		let isWhole = true;
		try {
			body();
		} catch (error) {
			isWhole = false;
			if (!(error instanceof Stuck)) throw error;
			this.#report(error.issue.at, error.issue.text);
			this.#skipFrom(error.state);
		}
		if (follow !== undefined) this.#follows.pop();
		return isWhole;
	}

	/** A token that is known to be there. */
	take(): void {
		this.#matched();
		this.#consume();
	}

	/** @param next what may come after it */
	match(kind: Kind, next: readonly Kind[], state: string): void {
		if (this.ahead() === kind) return this.take();
		this.#recover();
		const wanted = new Set([kind]);
		if (this.#dropOne(wanted)) return this.#consume();
		if (this.#expected(next).has(this.ahead())) {
			this.#report(this.#token().at, `missing ${shown(wanted)} at ${quoted(this.#token().text)}`);
			return;
		}
		throw this.#mismatch(wanted, state);
	}

	/** Before one of several, or of what may be left out: nothing else may come. */
	sync(next: readonly Kind[], state: string): void {
		if (this.#silent || next.includes(END) || this.is(next)) return;
		const wanted = this.#expected(next);
		if (!this.#dropOne(wanted)) throw this.#mismatch(wanted, state);
	}

	/** Between repetitions: what fits neither another one nor what follows is skipped. */
	syncLoop(next: readonly Kind[]): void {
		if (this.#silent || next.includes(END) || this.is(next)) return;
		const wanted = this.#expected(next);
		this.#unwanted(wanted);
		this.#skipTo(new Set([...wanted, ...this.#around()]), Infinity);
	}

	/** None of several begins with what is there, up to the token so many further. */
	noAlternative(ahead: number, state: string): Error {
		const last = this.#token(ahead);
		const read = this.#tokens.slice(this.#at, this.#at + ahead + 1).filter(({ type }) => type !== 'end');
		const input =
			read.map(({ hidden, text }, i) => (i === 0 ? text : hidden + text)).join('') + (last.type === 'end' && ahead > 0 ? last.hidden : '');
		const word = /^\.(true|false|null)$/.exec(input)?.[1];
		const text =
			word === undefined
				? `no viable alternative at input ${quoted(input === '' ? EOF : input)}`
				: `mismatched input '${word}' expecting IDENTIFIER`;
		return new Stuck(state, last.at, text);
	}

	#token(ahead = 0): Token {
		return (this.#tokens[this.#at + ahead] ?? this.#tokens.at(-1)) as Token;
	}

	#consume(): void {
		if (this.ahead() === EOF) return;
		this.#at++;
		this.#reach();
	}

	#reach(): void {
		for (let issue = this.#unread[this.#unreadTold]; issue !== undefined; issue = this.#unread[this.#unreadTold]) {
			if (issue.at > this.place) return;
			this.#unreadTold++;
			this.#tell(issue);
		}
	}

	#tell(issue: Issue): void {
		const isLast = ++this.#reports > MAX_REPORTS;
		this.issues.push(isLast ? { at: issue.at, text: `Syntax error: More than ${MAX_REPORTS} syntax errors` } : issue);
		if (isLast) throw new GivenUp();
	}

	giveUp(text: string): GivenUp {
		this.issues.push({ at: NOWHERE, text });
		return new GivenUp();
	}

	#recover(): void {
		if (++this.#recoveries <= MAX_RECOVERIES) return;
		this.#tell({ at: this.place, text: `Syntax error: error recovery attempt limit exceeded: ${MAX_RECOVERIES}` });
		throw new GivenUp();
	}

	#matched(): void {
		this.#silent = false;
		this.#stuckAt = -1;
		this.#stuckIn.clear();
	}

	#report(at: number, text: string): void {
		if (!this.#silent) this.#tell({ at, text: `Syntax error: ${text}` });
		this.#silent = true;
	}

	#unwanted(wanted: ReadonlySet<Kind>): void {
		const { at, text } = this.#token();
		this.#report(at, `extraneous input ${quoted(text)} expecting ${shown(wanted)}`);
	}

	#mismatch(wanted: ReadonlySet<Kind>, state: string): Stuck {
		const { at, text } = this.#token();
		return new Stuck(state, at, `mismatched input ${quoted(text)} expecting ${shown(wanted)}`);
	}

	#dropOne(wanted: ReadonlySet<Kind>): boolean {
		if (!wanted.has(this.ahead(1))) return false;
		this.#unwanted(wanted);
		this.#consume();
		this.#matched();
		return true;
	}

	#expected(next: readonly Kind[]): ReadonlySet<Kind> {
		const expected = new Set(next);
		for (let i = this.#follows.length - 1; expected.has(END); i--) {
			expected.delete(END);
			for (const kind of this.#follows[i] ?? [EOF]) expected.add(kind);
		}
		return expected;
	}

	#around(): ReadonlySet<Kind> {
		return new Set(this.#follows.flat().filter((kind) => kind !== END));
	}

	#skipTo(kinds: ReadonlySet<Kind>, most: number): void {
		for (let skipped = 0; this.ahead() !== EOF && !kinds.has(this.ahead()); skipped++) {
			if (skipped === most) throw this.giveUp(`error recovery token lookahead limit exceeded: ${MAX_SKIPPED}`);
			this.#consume();
		}
	}

	/** Stuck in one state at one token for the second time: that token goes. */
	#skipFrom(state: string): void {
		this.#recover();
		const isAgain = this.#stuckAt === this.#at && this.#stuckIn.has(state);
		if (isAgain) this.#consume();
		this.#stuckAt = this.#at;
		this.#stuckIn.add(state);
		this.#skipTo(this.#around(), isAgain ? MAX_SKIPPED - 1 : MAX_SKIPPED);
	}
}
