/* An elevator for two that serves 5 floors and 3 persons, who call it, ride to a floor of their choice, and
   call it again from there. */

#define TOP 4
#define NOWHERE 255

byte call[5];  /* the button on that floor is lit */
byte stop[5];  /* the button in the cabin is lit */
byte cabin;  /* floor of the cabin */
byte door;  /* 1: open */
byte inside;  /* persons in the cabin */

active proctype Person_0() {
    byte place = 0;  /* floor */
    byte goal;

outside:
    if
    /* think about where to go */
    :: d_step { goal < TOP -> goal = goal + 1 } goto outside
    :: d_step { goal != place -> call[place] = 1 } goto wait
    fi;
wait:
    if
    :: d_step { door == 1 && cabin == place && inside < 2 -> inside = inside + 1; stop[goal] = 1; place = NOWHERE } goto ride
    /* it left without us: press again */
    :: d_step { door == 0 && call[place] == 0 -> call[place] = 1 } goto wait
    fi;
ride:
    if
    :: d_step { door == 1 && cabin == goal -> inside = inside - 1; place = goal; goal = 0 } goto outside
    fi;
}

active proctype Person_1() {
    byte place = 1;  /* floor */
    byte goal;

outside:
    if
    /* think about where to go */
    :: d_step { goal < TOP -> goal = goal + 1 } goto outside
    :: d_step { goal != place -> call[place] = 1 } goto wait
    fi;
wait:
    if
    :: d_step { door == 1 && cabin == place && inside < 2 -> inside = inside + 1; stop[goal] = 1; place = NOWHERE } goto ride
    /* it left without us: press again */
    :: d_step { door == 0 && call[place] == 0 -> call[place] = 1 } goto wait
    fi;
ride:
    if
    :: d_step { door == 1 && cabin == goal -> inside = inside - 1; place = goal; goal = 0 } goto outside
    fi;
}

active proctype Person_2() {
    byte place = 2;  /* floor */
    byte goal;

outside:
    if
    /* think about where to go */
    :: d_step { goal < TOP -> goal = goal + 1 } goto outside
    :: d_step { goal != place -> call[place] = 1 } goto wait
    fi;
wait:
    if
    :: d_step { door == 1 && cabin == place && inside < 2 -> inside = inside + 1; stop[goal] = 1; place = NOWHERE } goto ride
    /* it left without us: press again */
    :: d_step { door == 0 && call[place] == 0 -> call[place] = 1 } goto wait
    fi;
ride:
    if
    :: d_step { door == 1 && cabin == goal -> inside = inside - 1; place = goal; goal = 0 } goto outside
    fi;
}

active proctype Lift() {
    byte up = 1;  /* 1: on its way up */

stand:
    if
    :: d_step { call[cabin] == 1 || stop[cabin] == 1 -> call[cabin] = 0; stop[cabin] = 0; door = 1 } goto opened
    :: d_step { up == 1 && cabin < TOP && call[cabin] == 0 && stop[cabin] == 0 -> cabin = cabin + 1 } goto stand
    :: d_step { up == 0 && cabin > 0 && call[cabin] == 0 && stop[cabin] == 0 -> cabin = cabin - 1 } goto stand
    :: d_step { up == 1 && cabin == TOP -> up = 0 } goto stand
    :: d_step { up == 0 && cabin == 0 -> up = 1 } goto stand
    fi;
opened:
    if
    :: door = 0; goto stand
    fi;
}
