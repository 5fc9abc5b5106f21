---- MODULE Mail_TTrace_1796009574 ----
EXTENDS Sequences, TLCExt, Mail, Toolbox, Naturals, TLC, Mail_TEConstants

_expression ==
    LET Mail_TEExpression == INSTANCE Mail_TEExpression
    IN Mail_TEExpression!expression
----

_trace ==
    LET Mail_TETrace == INSTANCE Mail_TETrace
    IN Mail_TETrace!trace
----

_prop ==
    ~(([]<>(
            last = (<<p2, 1>>)
            /\
            count = ((p1 :> 2 @@ p2 :> 2))
            /\
            sent = ({[from |-> p1, number |-> 1, text |-> "a letter"], [from |-> p2, number |-> 1, text |-> "a letter"]})
    ))/\([]<>(
            last = (<<p2, 1>>)
            /\
            count = ((p1 :> 1 @@ p2 :> 1))
            /\
            sent = ({})
    )))
----

_init ==
    /\ last = _TETrace[1].last
    /\ sent = _TETrace[1].sent
    /\ count = _TETrace[1].count
----

_next ==
    /\ \E i,j \in DOMAIN _TETrace:
        /\ \/ /\ j = i + 1
              /\ i = TLCGet("level")
           \/ /\ i = _TTraceLassoEnd
              /\ j = _TTraceLassoStart
        /\ last  = _TETrace[i].last
        /\ last' = _TETrace[j].last
        /\ sent  = _TETrace[i].sent
        /\ sent' = _TETrace[j].sent
        /\ count  = _TETrace[i].count
        /\ count' = _TETrace[j].count

\* Uncomment the ASSUME below to write the states of the error trace
\* to the given file in Json format. Note that you can pass any tuple
\* to `JsonSerialize`. For example, a sub-sequence of _TETrace.
    \* ASSUME
    \*     LET J == INSTANCE Json
    \*         IN J!JsonSerialize("Mail_TTrace_1796009574.json", _TETrace)


_view ==
    <<last, sent, count, IF TLCGet("level") = _TTraceLassoEnd + 1 THEN _TTraceLassoStart ELSE TLCGet("level")>>
=============================================================================

 Note that you can extract this module `Mail_TEExpression`
  to a dedicated file to reuse `expression` (the module in the 
  dedicated `Mail_TEExpression.tla` file takes precedence 
  over the module `Mail_TEExpression` below).

---- MODULE Mail_TEExpression ----
EXTENDS Sequences, TLCExt, Mail, Toolbox, Naturals, TLC, Mail_TEConstants

expression == 
    [
        \* To hide variables of the `Mail` spec from the error trace,
        \* remove the variables below.  The trace will be written in the order
        \* of the fields of this record.
        last |-> last
        ,sent |-> sent
        ,count |-> count
        
        \* Put additional constant-, state-, and action-level expressions here:
        \* ,_stateNumber |-> _TEPosition
        \* ,_lastUnchanged |-> last = last'
        
        \* Format the `last` variable as Json value.
        \* ,_lastJson |->
        \*     LET J == INSTANCE Json
        \*     IN J!ToJson(last)
        
        \* Lastly, you may build expressions over arbitrary sets of states by
        \* leveraging the _TETrace operator.  For example, this is how to
        \* count the number of times a spec variable changed up to the current
        \* state in the trace.
        \* ,_lastModCount |->
        \*     LET F[s \in DOMAIN _TETrace] ==
        \*         IF s = 1 THEN 0
        \*         ELSE IF _TETrace[s].last # _TETrace[s-1].last
        \*             THEN 1 + F[s-1] ELSE F[s-1]
        \*     IN F[_TEPosition - 1]
    ]

=============================================================================



Parsing and semantic processing can take forever if the trace below is long.
 In this case, it is advised to uncomment the module below to deserialize the
 trace from a generated binary file.

\*
\*---- MODULE Mail_TETrace ----
\*EXTENDS IOUtils, Mail, TLC, Mail_TEConstants
\*
\*trace == IODeserialize("Mail_TTrace_1796009574.bin", TRUE)
\*
\*=============================================================================
\*

---- MODULE Mail_TETrace ----
EXTENDS Mail, TLC, Mail_TEConstants

trace == 
    <<
    ([last |-> <<"no \"one\"", 0>>,count |-> (p1 :> 0 @@ p2 :> 0),sent |-> {}]),
    ([last |-> <<p2, 0>>,count |-> (p1 :> 0 @@ p2 :> 1),sent |-> {[from |-> p2, number |-> 0, text |-> "a letter"]}]),
    ([last |-> <<p2, 1>>,count |-> (p1 :> 0 @@ p2 :> 2),sent |-> {[from |-> p2, number |-> 0, text |-> "a letter"], [from |-> p2, number |-> 1, text |-> "a letter"]}]),
    ([last |-> <<p2, 1>>,count |-> (p1 :> 1 @@ p2 :> 1),sent |-> {}]),
    ([last |-> <<p1, 1>>,count |-> (p1 :> 2 @@ p2 :> 1),sent |-> {[from |-> p1, number |-> 1, text |-> "a letter"]}]),
    ([last |-> <<p2, 1>>,count |-> (p1 :> 2 @@ p2 :> 2),sent |-> {[from |-> p1, number |-> 1, text |-> "a letter"], [from |-> p2, number |-> 1, text |-> "a letter"]}])
    >>
----


=============================================================================

---- MODULE Mail_TEConstants ----
EXTENDS Mail

CONSTANTS p1, p2, _TTraceLassoStart, _TTraceLassoEnd

=============================================================================

---- CONFIG Mail_TTrace_1796009574 ----
CONSTANTS
    P = { p1 , p2 }
    p1 = p1
    p2 = p2
_TTraceLassoStart = 4
_TTraceLassoEnd = 6

PROPERTY
    _prop

CHECK_DEADLOCK
    \* CHECK_DEADLOCK off because of PROPERTY or INVARIANT above.
    FALSE

INIT
    _init

NEXT
    _next

VIEW
    _view

CONSTANT
    _TETrace <- _trace

ALIAS
    _expression
=============================================================================
\* Generated on Mon Nov 30 03:33:01 UTC 2026