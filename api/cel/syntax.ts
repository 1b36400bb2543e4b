/** What is wrong with the grammar of an expression, told as upstream's generated parser tells it: its rules, with its ways to recover. */
import { MAX_DEPTH } from './grammar.ts';
import type { Issue } from './issues.ts';
import type { Token } from './lexer.ts';
import { END, GivenUp, Recovery, type Kind } from './recovery.ts';

const LITERALS: readonly Kind[] = ["'true'", "'false'", "'null'", 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES'];
const PRIMARY: readonly Kind[] = ["'['", "'{'", "'('", "'.'", "'-'", 'IDENTIFIER', ...LITERALS];
const EXPRESSION: readonly Kind[] = [...PRIMARY, "'!'"];
const OPTIONAL: readonly Kind[] = [...EXPRESSION, "'?'"];
const NAME: readonly Kind[] = ['IDENTIFIER', 'ESC_IDENTIFIER'];
const FIELD: readonly Kind[] = [...NAME, "'?'"];
const RELATIONS: readonly Kind[] = ["'<'", "'<='", "'>='", "'>'", "'=='", "'!='", "'in'"];
const PRODUCTS: readonly Kind[] = ["'*'", "'/'", "'%'"];
const SUMS: readonly Kind[] = ["'+'", "'-'"];
const SELECTORS: readonly Kind[] = ["'.'", "'['", END];
const SIGNED: readonly Kind[] = ['NUM_INT', 'NUM_FLOAT'];

export interface SyntaxFaults {
	/** None: the tokens are an expression. */
	readonly issues: readonly Issue[];
	/** Whether a limit ended the reading. */
	readonly gaveUp: boolean;
}

/** @param unread what the lexer could not read, in order */
export function syntaxFaults(tokens: readonly Token[], unread: readonly Issue[]): SyntaxFaults {
	const recovery = new Recovery(tokens, unread);
	const rules = new Rules(recovery);
	try {
		rules.start();
		return { issues: [...recovery.issues, ...rules.nameless], gaveUp: false };
	} catch (error) {
		if (!(error instanceof GivenUp)) throw error;
		return { issues: recovery.issues, gaveUp: true };
	}
}

class Rules {
	/** Where a field's name did not come. */
	readonly nameless: Issue[] = [];
	readonly #r: Recovery;
	#depth = 0;
	readonly #depths = { relation: 0, calculation: 0 };

	constructor(recovery: Recovery) {
		this.#r = recovery;
	}

	start(): void {
		this.#r.start();
		this.#r.rule(undefined, () => {
			this.#expression(['<EOF>']);
			this.#r.match('<EOF>', [], 'start');
		});
	}

	#expression(follow: readonly Kind[]): void {
		this.#bound(++this.#depth);
		this.#r.rule(follow, () => {
			this.#chain("'||'", ["'?'", END], (after) => this.#chain("'&&'", after, (inner) => this.#binary(RELATIONS, 1, inner)));
			if (!this.#r.is(["'?'"])) return;
			this.#r.take();
			this.#chain("'||'", ["':'"], (after) => this.#chain("'&&'", after, (inner) => this.#binary(RELATIONS, 1, inner)));
			this.#r.match("':'", EXPRESSION, 'ternary');
			this.#expression([END]);
		});
		this.#depth--;
	}

	#bound(depth: number): void {
		if (depth > MAX_DEPTH) throw this.#r.giveUp(`expression recursion limit exceeded: ${MAX_DEPTH}`);
	}

	#chain(operator: Kind, follow: readonly Kind[], operand: (follow: readonly Kind[]) => void): void {
		this.#r.rule(follow, () => {
			operand([operator, END]);
			while (this.#r.is([operator])) {
				this.#r.take();
				operand([operator, END]);
			}
		});
	}

	/** Comparisons, or products and sums: operators of at least that rank. */
	#binary(kinds: readonly Kind[], least: number, follow: readonly Kind[]): void {
		const own = [...kinds, END];
		const rule = kinds === RELATIONS ? 'relation' : 'calculation';
		this.#bound(++this.#depths[rule]);
		let left = 1;
		this.#r.rule(follow, () => {
			if (kinds === RELATIONS) this.#binary([...PRODUCTS, ...SUMS], 1, own);
			else this.#unary(own);
			const rankOf = (): number => (!this.#r.is(kinds) ? 0 : this.#r.is(PRODUCTS) ? 2 : 1);
			for (let found = rankOf(); found >= least && found > 0; found = rankOf()) {
				this.#r.take();
				left++;
				this.#binary(kinds, found + 1, own);
			}
		});
		// The generated parser leaves the rule once more for each operator.
		this.#depths[rule] = Math.max(0, this.#depths[rule] - left);
	}

	#unary(follow: readonly Kind[]): void {
		this.#r.rule(follow, () => {
			this.#r.sync(EXPRESSION, 'unary');
			if (this.#r.is(["'!'"])) {
				do {
					this.#r.take();
					this.#r.syncLoop(EXPRESSION);
				} while (this.#r.is(["'!'"]));
				this.#member();
			} else if (this.#r.is(["'-'"]) && !this.#r.is(SIGNED, 1)) {
				this.#minus('unary');
				do {
					this.#r.take();
					this.#r.syncLoop(PRIMARY);
					if (this.#r.is(["'-'"])) this.#minus('minus');
					else if (!this.#r.is(PRIMARY)) throw this.#r.noAlternative(0, 'minus');
				} while (this.#r.is(["'-'"]));
				this.#member();
			} else if (this.#r.is(PRIMARY)) this.#member();
			else throw this.#r.noAlternative(0, 'unary');
		});
	}

	/** After a minus comes a member. */
	#minus(state: string): void {
		if (!this.#r.is(PRIMARY, 1)) throw this.#r.noAlternative(1, state);
	}

	#member(): void {
		this.#r.rule([END], () => {
			this.#primary();
			while (this.#r.is(["'.'", "'['"])) this.#selector();
		});
	}

	#selector(): void {
		if (this.#r.is(["'['"])) {
			this.#r.take();
			this.#r.sync(OPTIONAL, 'index');
			if (this.#r.is(["'?'"])) this.#r.take();
			this.#expression(["']'"]);
			return this.#r.match("']'", SELECTORS, 'index]');
		}
		if (this.#r.is(['IDENTIFIER'], 1) && this.#r.is(["'('"], 2)) {
			this.#r.take();
			this.#r.take();
			return this.#arguments(SELECTORS, 'member');
		}
		if (!this.#r.is(FIELD, 1)) throw this.#r.noAlternative(1, 'select');
		this.#r.take();
		if (this.#r.is(["'?'"])) this.#r.take();
		const at = this.#r.place;
		if (!this.#name(SELECTORS)) this.nameless.push({ at, text: 'unsupported ident kind' });
	}

	#arguments(next: readonly Kind[], state: string): void {
		this.#r.take();
		this.#r.sync([...EXPRESSION, "')'"], `${state}(`);
		if (this.#r.is(EXPRESSION)) this.#list(["')'"], () => this.#expression(["','", END]), undefined);
		this.#r.match("')'", next, `${state})`);
	}

	#name(follow: readonly Kind[]): boolean {
		return this.#r.rule(follow, () => {
			this.#r.sync(NAME, 'name');
			if (!this.#r.is(NAME)) throw this.#r.noAlternative(0, 'name');
			this.#r.take();
		});
	}

	/** @param first what begins an item after a comma; undefined: a comma is always followed by one */
	#list(follow: readonly Kind[], item: () => void, first: readonly Kind[] | undefined): void {
		this.#r.rule(follow, () => {
			item();
			while (this.#r.is(["','"]) && (first === undefined || this.#r.is(first, 1))) {
				this.#r.take();
				item();
			}
		});
	}

	#primary(): void {
		this.#r.rule(SELECTORS, () => {
			this.#r.sync(PRIMARY, 'primary');
			switch (this.#r.ahead()) {
				case "'('":
					this.#r.take();
					this.#expression(["')'"]);
					return this.#r.match("')'", [END], 'nested');
				case "'['":
					return this.#braced("']'", OPTIONAL, () => this.#optional(["','", END]));
				case "'{'":
					return this.#braced("'}'", OPTIONAL, () => this.#entry((follow) => this.#optional(follow)));
				case "'.'":
				case 'IDENTIFIER':
					return this.#named();
			}
			if (!this.#r.is(PRIMARY)) throw this.#r.noAlternative(0, 'primary');
			this.#literal();
		});
	}

	#literal(): void {
		this.#r.rule([END], () => {
			if (this.#r.is(["'-'"])) {
				if (!this.#r.is(SIGNED, 1)) throw this.#r.noAlternative(1, 'literal');
				this.#r.take();
			}
			this.#r.take();
		});
	}

	/** A name, a call, or a message: `.a.b{`. */
	#named(): void {
		const dot = this.#r.is(["'.'"]) ? 1 : 0;
		if (!this.#r.is(['IDENTIFIER'], dot)) throw this.#r.noAlternative(1, 'primary');
		let ahead = dot + 1;
		const isCall = this.#r.is(["'('"], ahead);
		while (this.#r.is(["'.'"], ahead) && this.#r.is(['IDENTIFIER'], ahead + 1)) ahead += 2;
		const isMessage = this.#r.is(["'{'"], ahead);
		for (let i = 0; i < (isMessage ? ahead : dot + 1); i++) this.#r.take();
		if (isCall) this.#arguments([END], 'call');
		else if (isMessage)
			this.#braced("'}'", FIELD, () =>
				this.#entry((follow) =>
					this.#r.rule(follow, () => {
						this.#r.sync(FIELD, 'field');
						if (this.#r.is(["'?'"])) this.#r.take();
						this.#name([END]);
					}),
				),
			);
	}

	/** Items with commas between and, maybe, one after. */
	#braced(close: Kind, first: readonly Kind[], item: () => void): void {
		this.#r.take();
		this.#r.sync([...first, "','", close], `${close} open`);
		if (this.#r.is(first)) this.#list(["','", close], item, first);
		this.#r.sync(["','", close], `${close} comma`);
		if (this.#r.is(["','"])) this.#r.take();
		this.#r.match(close, [END], close);
	}

	#entry(key: (follow: readonly Kind[]) => void): void {
		key(["':'"]);
		this.#r.match("':'", EXPRESSION, 'entry');
		this.#expression(["','", END]);
	}

	#optional(follow: readonly Kind[]): void {
		this.#r.rule(follow, () => {
			this.#r.sync(OPTIONAL, 'optional');
			if (this.#r.is(["'?'"])) this.#r.take();
			this.#expression([END]);
		});
	}
}
