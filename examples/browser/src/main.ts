/** Starts the page; whatever it meets is said in it. Later scripts import from this one, so nothing is awaited here. */
import { Page } from './page.ts';

void new Page().start();
